/** A process that indexes what a folder's archive holds, to be killed anywhere. */
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../../../packages/store/test/open-store-fixture.ts'
import { TextIndex } from '../../../src/archive/search/text-index.ts'
import type { TextsFixtureOperations } from './texts-fixture-operations.ts'

const options = JSON.parse(process.argv[2] ?? '') as StoreOptions
const store = await openStoreHere<TextsFixtureOperations>(options)
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const { data } = options
const texts = new TextIndex({ store, clock: systemClock, data, charactersMost: () => 100_000, log })
await texts.flush()
await texts.close()
await store.close()
