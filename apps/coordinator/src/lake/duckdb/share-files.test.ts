// Goal: a data folder is open to its group for as long as there is a DuckDB service, and then only on the way to files that
// a question named. Method: the modes of a folder of an older version, before and after.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { prepareFolder, shareFiles } from './share-files.ts'

const NAMES = ['minga.db', 'archive', 'lake', 'lake/tables', 'lake/tables/a', 'lake/tables/a/1']
const skip = process.platform === 'win32' && 'Windows has no such modes'

interface Folders {
  data: string
  lake: string
}

function oldFolder(): Folders {
  const data = temporaryFolder()
  const lake = join(data, 'lake')
  mkdirSync(join(lake, 'tables/a'), { recursive: true })
  mkdirSync(join(data, 'archive'))
  for (const name of ['minga.db', 'lake/tables/a/1', 'lake/tables/a/2']) {
    writeFileSync(join(data, name), '', { mode: 0o600 })
  }
  symlinkSync(join(data, 'minga.db'), join(lake, 'tables/a/link'))
  for (const folder of [data, join(data, 'archive'), lake]) chmodSync(folder, 0o755)
  for (const folder of ['lake/tables', 'lake/tables/a']) chmodSync(join(data, folder), 0o700)
  chmodSync(join(data, 'minga.db'), 0o644)
  return { data, lake }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const modesOf = ({ data }: Folders): string =>
  ['', ...NAMES].map((name) => modeOf(join(data, name))).join(' ')

test(
  'with a service the group enters the data folder and finds nothing open',
  { skip },
  async () => {
    const folders = oldFolder()
    await prepareFolder(folders.data, folders.lake, true)
    assert.equal(modesOf(folders), '710 600 700 710 700 700 600')
  },
)

test(
  'files of the lake are opened by name, with the way to them and nothing next to them',
  { skip },
  async () => {
    const folders = oldFolder()
    const { data, lake } = folders
    await prepareFolder(data, lake, true)
    const outside = [join(data, 'minga.db'), join(lake, 'tables/a/link'), join(lake, '../minga.db')]
    await shareFiles({ data, lake }, [join(lake, 'tables/a/1'), ...outside, join(lake, 'gone')])
    assert.equal(modesOf(folders), '710 600 700 710 710 710 640')
    assert.equal(modeOf(join(lake, 'tables/a/2')), '600')
  },
)

test('without a service the folder is for its user alone again', { skip }, async () => {
  const { data, lake } = oldFolder()
  await prepareFolder(data, lake, true)
  await prepareFolder(data, lake, false)
  assert.equal(modeOf(data), '700')
})
