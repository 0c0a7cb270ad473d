// Goal: a country is chosen in three places and means the same in all. Method: words made by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryAsked, countryChoices, countryWord, NOWHERE, toggled } from './country-filter.ts'

const counts = { working: 1, idle: 0, away: 0 }
const words = { nameOf: (country: string) => `the ${country}`, unknown: 'not known' }

test('a country that is not known has a word in the address and none at the station', () => {
  assert.equal(countryAsked(countryWord(null)), '')
  assert.equal(countryAsked(countryWord('UY')), 'UY')
})

test('pressing a place chooses it, pressing it again does not', () => {
  assert.equal(toggled('', 'UY'), 'UY')
  assert.equal(toggled('BR', 'UY'), 'UY')
  assert.equal(toggled('UY', 'UY'), '')
})

test('countries are named in order, and those that are not known come last', () => {
  const countries = [null, 'UY', 'BR'].map((country) => ({ country, ...counts }))
  assert.deepEqual(countryChoices(countries, words), [
    { value: 'BR', label: 'the BR' },
    { value: 'UY', label: 'the UY' },
    { value: NOWHERE, label: 'not known' },
  ])
  assert.deepEqual(countryChoices(countries.slice(1, 2), words), [{ value: 'UY', label: 'the UY' }])
})
