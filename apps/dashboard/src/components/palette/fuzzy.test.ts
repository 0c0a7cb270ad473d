// Goal: a few letters find what the user means. Method: names as plain texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bestFits, fitOf } from './fuzzy.ts'

const ITEMS = [
  'Overview',
  'Collections › New collection',
  'Archive › Search',
  'Colores: Oscuro',
].map((text) => ({ text }))
const found = (asked: string): string[] => bestFits(asked, ITEMS).map(({ text }) => text)

test('the words themselves come before scattered letters', () => {
  assert.equal(found('new')[0], 'Collections › New collection')
  assert.equal(found('col')[0], 'Colores: Oscuro')
  assert.equal(found('archive')[0], 'Archive › Search')
})

test('first letters of words are enough, accents and capitals do not count', () => {
  assert.deepEqual(found('CNC'), ['Collections › New collection'])
  assert.ok(fitOf('perú', 'Peru') !== null)
})

test('nothing typed shows everything in its order, and what is not there finds nothing', () => {
  assert.deepEqual(
    found(''),
    ITEMS.map(({ text }) => text),
  )
  assert.deepEqual(found('xyz'), [])
})
