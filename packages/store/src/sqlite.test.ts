/**
 * Goal: the embedded store's own promises: one opener, damage named, a full disk survived.
 * Method: a real second process, a broken file, a small real file system.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES, OPERATIONS, readRows, temporaryFolder } from '../test/contract-engines.ts'
import type { ContractOperations } from '../test/contract-operations.ts'
import { openStore } from './open-store.ts'
import type { Store } from './sql.ts'

const home = (): ReturnType<(typeof ENGINES)[0]['home']> => ENGINES[0]!.home()

test('A second process on the same folder is refused at once, with what to do', async () => {
  const { options } = await home()
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../test/crash-child.ts', import.meta.url)),
      JSON.stringify({ options, firstId: 1 }),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const locked = { code: 'MINGA_STORE_LOCKED', message: /Stop it first, or choose another folder/ }
  for await (const _ of child.stdout) {
    const startedMs = performance.now()
    await assert.rejects(openStore<ContractOperations>(options), locked)
    assert.ok(performance.now() - startedMs < 2000)
    break
  }
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  await (await openStore<ContractOperations>(options)).close()
})

test('A second store in the same process is refused, and the first one keeps its lock', async () => {
  const { options } = await home()
  const store = await openStore<ContractOperations>(options)
  for (let times = 0; times < 3; times++) {
    await assert.rejects(openStore<ContractOperations>(options), { code: 'MINGA_STORE_LOCKED' })
  }
  await store.call('setUp', undefined)
  await store.close()
})

test('A file that is no database is named as damaged and left as it is', async () => {
  const { options } = await home()
  const file = path.join(options.data, 'minga.db')
  fs.writeFileSync(file, 'This is not a database, it only looks like a file. '.repeat(100))
  const before = fs.readFileSync(file)
  await assert.rejects(openStore<ContractOperations>(options), {
    code: 'MINGA_STORE_DAMAGED',
    message: /minga\.db is damaged/,
  })
  assert.ok(fs.readFileSync(file).equals(before))
})

test('A database with broken pages answers with damage, not with nonsense', async () => {
  const { options } = await home()
  const store = await openStore<ContractOperations>(options)
  await store.call('setUp', undefined)
  await insertThings(store, 0, 20_000)
  await store.close()
  const file = path.join(options.data, 'minga.db')
  const content = fs.readFileSync(file)
  content.fill(0xa5, 200_000)
  fs.writeFileSync(file, content)
  const open = async (): Promise<void> => {
    const broken = await openStore<ContractOperations>(options)
    try {
      await broken.call('all', { sql: 'SELECT sum(n) FROM things' })
    } finally {
      await broken.close()
    }
  }
  await assert.rejects(open(), { code: 'MINGA_STORE_DAMAGED' })
})

test('The write-ahead log stays below 64 MB however much is written', async () => {
  const { options } = await home()
  const store = await openStore<ContractOperations>(options)
  await store.call('setUp', undefined)
  let largestBytes = 0
  for (let round = 0; round < 15; round++) {
    await insertThings(store, round * 20_000, 20_000)
    const { size } = fs.statSync(path.join(options.data, 'minga.db-wal'))
    largestBytes = Math.max(largestBytes, size)
  }
  await store.close()
  assert.ok(largestBytes < 64_000_000, `${largestBytes} bytes`)
  assert.equal(fs.existsSync(path.join(options.data, 'minga.db-wal')), false)
})

/** Keys in scattered order, so that many pages change. */
function insertThings(
  store: Store<ContractOperations>,
  from: number,
  count: number,
): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, index) => [
    ((from + index) * 7919) % 10_000_019,
    `name ${from + index}`,
    index,
  ])
  const query = { table: 'things', columns: ['k', 'name', 'n'], rows }
  return store.call('verbs', [{ verb: 'insertMany', query }])
}

/** Mounts 12 MB of memory, or says why it cannot. */
function mountSmall(): { folder: string; unmount(): void } | string {
  if (process.getuid?.() !== 0) return 'a small file system can be mounted by root only'
  const folder = temporaryFolder()
  const mounted = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder])
  if (mounted.status !== 0) return `mount refuses: ${String(mounted.stderr)}`
  return { folder, unmount: () => void spawnSync('/bin/umount', [folder]) }
}

/** Adds rows and bytes until the disk is full; returns the ids that were acknowledged. */
async function fillUp(
  store: Store<ContractOperations>,
  firstId: number,
  chunkBytes: number,
): Promise<number[]> {
  const done: number[] = []
  let isFull = false
  while (!isFull) {
    const ids = Array.from({ length: 8 }, (_, index) => firstId + done.length + index)
    const calls = ids.map((id) => {
      const chunks = [new Uint8Array(chunkBytes).fill(id % 251)]
      return store.call('append', { id, series: 'big', chunks })
    })
    for (const [index, call] of (await Promise.allSettled(calls)).entries()) {
      if (call.status === 'fulfilled') done.push(ids[index]!)
      else {
        assert.equal(call.reason.code, 'MINGA_DISK_FULL', String(call.reason))
        assert.equal(call.reason.retry, 'later')
        isFull = true
      }
    }
  }
  return done
}

async function assertAllThere(
  store: Store<ContractOperations>,
  data: string,
  ids: number[],
): Promise<void> {
  const rows = await readRows<{ id: number; file: string; offset_bytes: number }>(
    store,
    'SELECT id, file, offset_bytes FROM appended ORDER BY id',
  )
  assert.deepEqual(
    rows.map((row) => row.id),
    ids,
  )
  const files = new Map(
    fs
      .readdirSync(path.join(data, 'big'))
      .map((name) => [name, fs.readFileSync(path.join(data, 'big', name))]),
  )
  for (const row of rows) {
    const content = files.get(row.file) ?? []
    assert.equal(content[row.offset_bytes], row.id % 251)
  }
}

test('A full disk fails calls, keeps what was acknowledged, and is over when there is room', async (t) => {
  const mount = mountSmall()
  if (typeof mount === 'string') return t.skip(mount)
  try {
    const data = path.join(mount.folder, 'data')
    const filler = path.join(mount.folder, 'filler')
    fs.writeFileSync(filler, new Uint8Array(5_000_000))
    const options = { data, operations: OPERATIONS, writer: 'w1' }
    const store = await openStore<ContractOperations>(options)
    // An open store would keep the process of a failed test alive.
    t.after(() => store.close())
    await store.call('setUp', undefined)
    const ids = await fillUp(store, 0, 60_000)
    await assertAllThere(store, data, ids)
    fs.rmSync(filler)
    // Now many rows and few bytes, so that the database meets the end first.
    // Of calls that went together some may have fitted after one that did not.
    ids.push(...(await fillUp(store, (ids.at(-1) ?? -1) + 1, 1000)))
    assert.ok(ids.length > 100)
    await assertAllThere(store, data, ids)
    await store.close()
    const again = await openStore<ContractOperations>(options)
    await assertAllThere(again, data, ids)
    await again.close()
  } finally {
    mount.unmount()
  }
})

test('What is wiped is in no file of the database afterwards, though the store stays open', async () => {
  const { options } = await home()
  const store = await openStore<ContractOperations>(options)
  await store.call('setUp', undefined)
  const isAnywhere = (): boolean =>
    fs
      .readdirSync(options.data)
      .filter((name) => name.startsWith('minga.db'))
      .some((name) => fs.readFileSync(path.join(options.data, name)).includes('a secret'))
  const rows = Array.from({ length: 50 }, (_, k) => [k, 'a secret '.repeat(k * 40 + 1)])
  const query = { table: 'things', columns: ['k', 'name'], rows }
  await store.call('verbs', [{ verb: 'insertMany', query }])
  assert.ok(isAnywhere())
  await store.call('wipeThings', undefined)
  assert.ok(!isAnywhere())
  await store.close()
})
