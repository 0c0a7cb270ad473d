// Goal: a file of a filter is taken as it is, or refused by its name and what is wrong in it. Method:
// files of all kinds in a temporary folder.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { readFilter } from './filter-file.ts'

const folder = temporaryFolder()

async function fileWith(text: string): Promise<string> {
  const file = join(folder, 'filter.json')
  await writeFile(file, text)
  return file
}

test('a filter is read as it was written', async () => {
  const filter = { otherwise: 'deny', rules: [{ effect: 'allow', countries: ['PT'] }] }
  assert.deepEqual(await readFilter(await fileWith(JSON.stringify(filter))), filter)
})

test('Admin filters override: a bad file is refused with its name and the rule that is wrong', async () => {
  const bad: [string, RegExp][] = [
    ['{', /filter\.json: it is not JSON\.$/],
    ['', /filter\.json: it is not JSON\.$/],
    ['[]', /filter\.json: The filter: it is not an object\.$/],
    ['null', /filter\.json: The filter: it is not an object\.$/],
    [
      '{"otherwise":"allow","rules":[{"effect":"deny","words":["!"]}]}',
      /filter\.json: Rule 1, "words": "!" is invalid\.$/,
    ],
  ]
  for (const [text, message] of bad) {
    const file = await fileWith(text)
    await assert.rejects(readFilter(file), { code: 'MINGA_BAD_FILTER', message })
  }
  const missing = join(folder, 'nowhere.json')
  await assert.rejects(readFilter(missing), { code: 'MINGA_UNREADABLE_FILE', message: /nowhere/ })
})
