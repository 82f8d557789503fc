#!/bin/sh
# A repository: made, changed, cloned, packed.
# needs: git
# counts: open>=20 read>=5 write>=10 rename>=1 mmap>=1 lstat>=1 processes>=10
set -eu
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 LC_ALL=C TZ=UTC
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export GIT_AUTHOR_DATE='2020-02-02T02:02:02Z' GIT_COMMITTER_DATE='2020-02-02T02:02:02Z'
git init -q -b main one
cd one
for i in 1 2 3 4 5 6 7 8; do seq $((i * 100)) > "file$i"; done
git add .
git commit -q -m first
git mv file3 moved && echo changed >> file1 && rm file2
git status --short
git commit -q -a -m second
git log --stat --format='%H %s'
cd ..
git clone -q --no-hardlinks one two
git -C two fsck --full --no-progress
git -C two gc -q
git -C two rev-parse HEAD
git -C two checkout -q -b other HEAD~1 && git -C two diff --stat main
rm -rf one/.git two/.git  # indexes hold times
