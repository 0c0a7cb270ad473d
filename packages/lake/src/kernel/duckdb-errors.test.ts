// Goal: the scheduler learns from an error whether another try makes sense. Method: messages as DuckDB and Node write them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asFileError, asTaskError } from './duckdb-errors.ts'

const AT = { sql: 'SELECT 1', memoryMb: 512, folder: '/data/lake' }

for (const [message, code, retry] of [
  [
    'IO Error: Could not write all bytes to file "x.tmp": wanted=262144 wrote=0: No space left on device',
    'MINGA_DISK_FULL',
    'later',
  ],
  [
    "Out of Memory Error: failed to offload data block of size 256.0 KiB (7.9 GiB/8.0 GiB used). This limit was set by the 'max_temp_directory_size' setting.",
    'MINGA_DISK_FULL',
    'later',
  ],
  [
    'Out of Memory Error: failed to allocate data of size 15.9 MiB (43.1 MiB/45.7 MiB used)',
    'MINGA_TASK_OUT_OF_MEMORY',
    'later',
  ],
  [
    'IO Error: Cannot open file "/data/lake/a.parquet": No such file or directory',
    'MINGA_TASK_FILE_MISSING',
    'later',
  ],
  [
    'IO Error: Could not read from file "/data/lake/a.parquet": Input/output error',
    'MINGA_TASK_DISK_TROUBLE',
    'later',
  ],
  ['Binder Error: Referenced column "x" not found in FROM clause!', 'MINGA_TASK_REFUSED', 'never'],
  [
    'Permission Error: Cannot access file "/etc/passwd" - file system operations are disabled',
    'MINGA_TASK_REFUSED',
    'never',
  ],
  ["Conversion Error: Could not convert string 'x' to INT32", 'MINGA_TASK_REFUSED', 'never'],
] as const) {
  test(`"${message.slice(0, 60)}…" is ${code} and worth a try ${retry}`, () => {
    const error = asTaskError(new Error(message), AT) as Error & { code: string; retry: string }
    assert.deepEqual([error.code, error.retry], [code, retry])
  })
}

test('a full disk is a full disk for Node as well; a mistake of ours stays what it is', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    syscall: 'write',
  })
  assert.equal((asFileError(full, AT.folder) as { code: string }).code, 'MINGA_DISK_FULL')
  const denied = Object.assign(new Error('EACCES: permission denied'), { syscall: 'open' })
  assert.equal((asFileError(denied, AT.folder) as { code: string }).code, 'MINGA_TASK_DISK_TROUBLE')
  const mistake = new TypeError('x is undefined')
  assert.equal(asFileError(mistake, AT.folder), mistake)
})
