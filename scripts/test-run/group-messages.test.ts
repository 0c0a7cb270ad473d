// Goal: of many files in one process, each has its own count, its own failures and its own time. Method: events as node:test sends them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupEvents, marksOf, type GroupMessage, type TestEvent } from './group-messages.ts'

function heard(events: TestEvent[]): GroupMessage[] {
  const messages: GroupMessage[] = []
  let now = 0
  const group = new GroupEvents({
    send: (message) => messages.push(message),
    now: () => (now += 1_000),
    processorMs: () => now,
    describe: String,
  })
  for (const event of events) group.take(event)
  group.end()
  return messages
}

const ended = (name: string, nesting = 0, type = 'test'): TestEvent[] => [
  { type: 'test:start', data: { name, nesting } },
  { type: 'test:pass', data: { name, nesting, details: { type } } },
]
const failed = (name: string, error: Error, type = 'test'): TestEvent[] => [
  { type: 'test:start', data: { name, nesting: 0 } },
  { type: 'test:fail', data: { name, nesting: 0, details: { type, error } } },
]

test('tests belong to the file whose mark came before them, though a fixture in a third file wrote them', () => {
  const messages = heard([
    ...ended(marksOf('a.test.ts').begin),
    ...ended('one'),
    ...ended(marksOf('a.test.ts').end),
    ...ended(marksOf('b.test.ts').begin),
    ...ended('two'),
    ...ended('three'),
  ])
  assert.deepEqual(
    messages.map((each) => each.type === 'ended' && [each.file, each.totals.pass]),
    [
      ['a.test.ts', 1],
      ['b.test.ts', 2],
    ],
  )
})

test('a failure is named with the suites around it, and the suite itself is not counted', () => {
  const inner = new Error('two is not three')
  const outer = Object.assign(new Error('1 subtest failed'), { failureType: 'subtestsFailed' })
  const [message] = heard([
    ...ended(marksOf('a.test.ts').begin),
    { type: 'test:start', data: { name: 'numbers', nesting: 0 } },
    { type: 'test:start', data: { name: 'are equal', nesting: 1 } },
    { type: 'test:fail', data: { name: 'are equal', nesting: 1, details: { error: inner } } },
    {
      type: 'test:fail',
      data: { name: 'numbers', nesting: 0, details: { type: 'suite', error: outer } },
    },
  ])
  assert.ok(message?.type === 'ended')
  assert.deepEqual(message.totals, { tests: 1, pass: 0, fail: 1, skipped: 0 })
  assert.deepEqual(message.failures, ['✖ numbers › are equal\nError: two is not three'])
})

test('a suite whose hook failed has failed, and what is skipped has not passed', () => {
  const [message] = heard([
    ...ended(marksOf('a.test.ts').begin),
    ...failed('opens a store', new Error('no store'), 'suite'),
    { type: 'test:pass', data: { name: 'later', nesting: 0, skip: 'no PostgreSQL' } },
  ])
  assert.ok(message?.type === 'ended')
  assert.deepEqual(message.totals, { tests: 2, pass: 0, fail: 1, skipped: 1 })
})
