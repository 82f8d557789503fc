#!/bin/sh
# Archives and compressors, by pipes and by names.
# needs: tar gzip zstd
# counts: open>=5 read>=10 write>=10 processes>=5
set -eu
export LC_ALL=C TZ=UTC
mkdir -p data/deep/er
seq 20000 > data/numbers
cp data/numbers data/deep/er/copy
ln -s numbers data/link
truncate -s 1M data/sparse
options='--sort=name --mtime=2020-02-02 --owner=0 --group=0 --numeric-owner'
# shellcheck disable=SC2086
tar $options -cf plain.tar data
# shellcheck disable=SC2086
tar $options -czf - data | tar -tzvf -
# shellcheck disable=SC2086
tar $options --zstd -Scf small.tar.zst data
mkdir back
tar -C back -xf small.tar.zst
diff -r data back/data && echo same
zstd -q -19 plain.tar -o plain.tar.zst && zstd -dc plain.tar.zst | cmp - plain.tar && echo same
gzip -n -k data/numbers && gzip -l data/numbers.gz | tail -n 1 && gzip -dc data/numbers.gz | tail -n 1
rm small.tar.zst
