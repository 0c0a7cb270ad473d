// Goal: wikis of Wikimedia are known by their hosts. Method: examples of hosts, and the address of the stream.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desktopHost, eventStreamUrl, isWikimediaHost, languageOfHost } from './wikimedia.ts'

test('hosts of Wikimedia are known, with their languages and their mobile faces', () => {
  assert.equal(isWikimediaHost('en.wikipedia.org'), true)
  assert.equal(isWikimediaHost('wikipedia.org'), true)
  assert.equal(isWikimediaHost('notwikipedia.org'), false)
  assert.equal(desktopHost('en.m.wikipedia.org'), 'en.wikipedia.org')
  assert.equal(desktopHost('m.wikidata.org'), 'www.wikidata.org')
  assert.equal(desktopHost('m.example.org'), 'm.example.org')
  assert.equal(languageOfHost('zh-yue.wikipedia.org'), 'zh-yue')
  assert.equal(languageOfHost('www.wikidata.org'), null)
  assert.equal(languageOfHost('en.example.org'), null)
})

test('the stream of events begins where it is asked to', () => {
  assert.match(eventStreamUrl(Date.UTC(2026, 0, 1)), /since=2026-01-01T00%3A00%3A00\.000Z$/)
  assert.doesNotMatch(eventStreamUrl(null), /since/)
})
