#!/bin/bash
# A shell that moves descriptors about.
# counts: fork>=5 dup2>=10 pipe>=3 fcntl>=1 execve>=1 processes>=3
set -u
exec 5> by_number 6< /etc/passwd
echo to five >&5
read -r line <&6 && echo "${line%%:*}"
exec 5>&- 6<&-
{ echo one; echo two >&2; } > out 2> err
cat out err <(echo from a process) - <<< "here string"
while read -r word; do echo "[$word]"; done < <(printf 'a\nb\n')
(cd / && pwd && umask 077 && umask)
pwd | wc -l
wait_for_me() { echo background > "job$1"; }
for i in 1 2 3; do wait_for_me "$i" & done
wait
cat job*
coproc cat  # lives until its input ends: bash forgets a coprocess that is gone
echo through a pipe >&"${COPROC[1]}"
read -r said <&"${COPROC[0]}"
echo "$said"
eval "exec ${COPROC[1]}>&-"
trap 'echo trapped; echo again > trapped' EXIT
echo text | tee copy | while read -r x; do echo "$x $x"; done
ulimit -n 64
[[ -f copy && ! -x copy ]] && echo plain
/missing/program 2> /dev/null || echo "status $?"
exit 5
