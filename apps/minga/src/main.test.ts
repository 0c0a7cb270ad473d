// Goal: the help of the program says of each command what the command says of itself. Method: every command
// is loaded and compared with the list that the help is made of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { COMMANDS } from './main.ts'

test('every command has the name and the summary that the help lists', async () => {
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const program = new Command()
    const addCommand = await load()
    addCommand(program, () => async () => {})
    const listed = program.commands.map((command) => [command.name(), command.description()])
    assert.deepEqual(listed, [[name, summary]])
  }
})
