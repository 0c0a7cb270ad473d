/** A thread that does what it is asked: answers, loops for ever, throws, or allocates without end. */
import { answerCalls } from './deadline-worker.ts'

export type Task = 'answer' | 'loop' | 'throw' | 'allocate'

answerCalls((task: Task): string => {
  if (task === 'throw') throw new RangeError('no such page')
  const held: string[][] = []
  for (let step = 0; ; step += 1) {
    if (task === 'answer') return `answer ${step}`
    if (task === 'allocate') held.push(Array.from({ length: 1_000 }, (_, at) => `${at}`))
  }
})
