// Goal: whatever the station finds to need attention can be said in every language of the page. Method: the codes of
// the list are looked up in the three catalogues.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ATTENTION_CODES, ATTENTION_LEVELS } from '@minga/protocol'
import { texts as en } from '../../locales/en.ts'
import { texts as es } from '../../locales/es.ts'
import { texts as pt } from '../../locales/pt.ts'

test('every code of the list of attention has a sentence and a remedy in each language', () => {
  for (const { attention } of [en, es, pt]) {
    assert.deepEqual(Object.keys(attention.sentence), [...ATTENTION_CODES])
    assert.deepEqual(Object.keys(attention.remedy), [...ATTENTION_CODES])
    assert.deepEqual(Object.keys(attention.level), [...ATTENTION_LEVELS])
  }
})
