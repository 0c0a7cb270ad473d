// Goal: what is captured into an archive of an older version refers to its responses by identifier, too. Method: a
// record in a file, and a store that knows where it lies but not what it is called.
import assert from 'node:assert/strict'
import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CaptureRow } from '@minga/protocol'
import type { Store } from '@minga/store'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { recordedCapture } from '../../../test/station-fixture.ts'
import { nameOriginals } from './repair.ts'
import type { ContractOperations } from '../../../test/contract-operations.ts'

const PAGE = { url: 'http://old.test/', kind: 'page' } as const

test('a response without a name is named from its file, and a station without any is asked once', async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'archive'))
  const { result, members } = recordedCapture(PAGE, { body: 'old' })
  writeFileSync(join(data, 'archive', 'a.warc.gz'), Buffer.concat(members))
  const place = { id: 7, file: 'a.warc.gz', offset: 0, length: members[0]!.length }
  const originals: (Partial<CaptureRow>[] | null)[] = [[place], null]
  const calls: [string, unknown][] = []
  const call = async (name: string, args: unknown): Promise<unknown> => {
    calls.push([name, args])
    return name === 'unnamedOriginals' ? { originals: originals.shift() } : undefined
  }
  const store = { call, close: async () => {} } as Store<ContractOperations>
  for (let times = 0; times < 3; times++) await nameOriginals({ store, data }, [result])
  const names = calls.map(([name]) => name)
  assert.deepEqual(names, ['unnamedOriginals', 'nameRecords', 'unnamedOriginals'])
  const [{ recordId }] = (calls[1]![1] as { named: [{ recordId: string }] }).named
  assert.match(recordId, /^<urn:uuid:.*>$/)
})
