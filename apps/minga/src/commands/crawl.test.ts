// Goal: the many options of a crawl are found by what they are about. Method: the help, as text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { crawlCommand } from './crawl.ts'

test('the options of a crawl are grouped, and none is outside a group', () => {
  const program = new Command('minga')
  crawlCommand(program, () => async () => {})
  const help = program.commands[0]!.helpInformation()
  const headings = [...help.matchAll(/^(\w+):$/gm)].map(([, name]) => name)
  assert.deepEqual(headings, ['Arguments', 'Scope', 'Limits', 'Pace', 'Output', 'Advanced'])
})
