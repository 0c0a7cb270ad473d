// Goal: every job leads to the screen of what it works on, and the page knows every kind and state there is. Method:
// the lists of the station compared with those of the page and its catalogues.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { JOB_KINDS, JOB_STATES } from '@minga/protocol'
import { JOB_KINDS_SHOWN, JOB_STATES_SHOWN } from './job-words.ts'
import { placeOfJob } from './job-place.ts'

test('the page offers the kinds and states of the station and has a word for each', () => {
  assert.deepEqual([...JOB_KINDS_SHOWN], [...JOB_KINDS])
  assert.deepEqual([...JOB_STATES_SHOWN], [...JOB_STATES])
  for (const language of ['en', 'es', 'pt']) {
    const file = join(import.meta.dirname, `../../locales/${language}/tasks.json`)
    const { job } = JSON.parse(readFileSync(file, 'utf8')) as {
      job: { kind: Record<string, string>; state: Record<string, string> }
    }
    assert.deepEqual(Object.keys(job.kind), [...JOB_KINDS])
    assert.deepEqual(Object.keys(job.state), [...JOB_STATES])
  }
})

test('a job leads to what it works on; of what has no screen, nowhere', () => {
  const place = (kind: (typeof JOB_KINDS)[number], of: string) => placeOfJob({ kind, of })
  assert.deepEqual(place('collection', '7'), { to: '/collections/$id', params: { id: '7' } })
  assert.deepEqual(place('map', '3'), { to: '/placement/epochs/$epoch', params: { epoch: '3' } })
  assert.equal(place('takedown', 'http://a.test/'), null)
  assert.equal(place('wiki', ''), null)
  assert.equal(place('delivery', ''), null)
})
