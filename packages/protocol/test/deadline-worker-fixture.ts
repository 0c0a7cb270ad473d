/** A thread that does what it is asked: answers, loops for ever, throws at once or after its answer, or allocates without end. */
import type { MessagePort } from 'node:worker_threads'
import { answerCalls } from '../src/deadline-worker.ts'

/** The port of `throwAfter` closes when the thread ends. */
export type Task = 'answer' | 'loop' | 'throw' | 'allocate' | { throwAfter: MessagePort }

answerCalls((task: Task): string => {
  if (task === 'throw') throw new RangeError('no such page')
  if (typeof task === 'object') {
    task.throwAfter.on('message', () => {
      throw new RangeError('after its answer')
    })
    return 'answer 0'
  }
  const held: string[][] = []
  for (let step = 0; ; step += 1) {
    if (task === 'answer') return `answer ${step}`
    if (task === 'allocate') held.push(Array.from({ length: 1_000 }, (_, at) => `${at}`))
  }
})
