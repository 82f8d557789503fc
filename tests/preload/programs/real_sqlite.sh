#!/bin/sh
# A database: journal, write-ahead log in shared memory, locks.
# needs: sqlite3
# counts: open>=2 pread>=1 pwrite>=1 fcntl>=1 fdatasync>=1 unlink>=1 processes>=2
set -eu
sqlite3 base.db << 'EOF'
create table t(id integer primary key, name text, size real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
insert into t select i, 'name' || i, i * 1.5 from n;
create index by_size on t(size);
select count(*), sum(size), max(name) from t where size > 100;
update t set name = upper(name) where id % 7 = 0;
delete from t where id % 11 = 0;
pragma integrity_check;
vacuum;
EOF
sqlite3 wal.db 'pragma journal_mode = wal; create table t(a); insert into t values(1), (2); select sum(a) from t;'
sqlite3 base.db .dump | sha256sum
sqlite3 base.db 'select * from missing' || echo "status $?"
