#!/bin/sh
# The tools everybody uses: make, copy, link, list, sort, split, compare, search.
# counts: open>=20 read>=20 write>=20 close>=20 openat>=1 processes>=20
set -eu
export LC_ALL=C TZ=UTC
mkdir -p tree/inner
i=0
while [ $i -lt 40 ]; do
  echo "line $i of $((i * 7919 % 101))" >> tree/lines
  i=$((i + 1))
done
printf 'binary\000bytes\n' > tree/inner/binary
ln -s ../lines tree/inner/link
ln tree/lines tree/hard
chmod 640 tree/lines
touch -d 2020-02-02T02:02:02Z tree/lines tree/inner/binary tree/inner tree
touch -h -d 2020-02-02T02:02:02Z tree/inner/link
cp -a tree copy
find copy -printf "%y %m %s %TY-%Tm-%Td %p %l\n" | sort
sort -k4n tree/lines | head -n 3
sort tree/lines | uniq | tail -n 2
wc tree/lines tree/inner/binary
cmp tree/lines copy/lines && diff -r tree copy && echo same
dd if=tree/lines of=part bs=10 skip=3 count=5 2> /dev/null
cat part
od -c tree/inner/binary
split -n 3 tree/lines piece
cat piece* | sha256sum
sed -i s/line/LINE/ copy/lines
grep -c LINE copy/lines
awk '{ sum += $4 } END { print sum > "sum"; print sum }' tree/lines
find . -type f | sort | xargs wc -c | tail -n 1
truncate -s 100 copy/hard
stat -c '%s %a %F' copy/hard tree/inner/link
mv copy/hard copy/moved && rm -r tree/inner && rmdir missing || echo "rmdir $?"
seq 1000 | tee numbers | tr 0-9 a-j | fold -w 60 | tail -n 1
cut -d' ' -f2 tree/lines | paste -sd+ | head -c 40
echo
realpath --relative-to=. tree/lines
readlink -f missing/x || echo "readlink $?"
df . > /dev/null && sync tree/lines
