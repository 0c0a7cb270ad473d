/** The thread that checks uploads, for tests: pages of some names hang their reader, others break it. */
import { answerCalls, type Result } from '@minga/protocol'
import {
  answerCheckCall,
  type CheckAnswer,
  type CheckCall,
} from '../../../src/agents/trust/check-calls.ts'

answerCalls((call: CheckCall): CheckAnswer => {
  if ('check' in call) call.check.results.forEach(readAsNamed)
  return answerCheckCall(call)
})

function readAsNamed(result: Result): void {
  if (result.type !== 'captured' || result.unread) return
  const { url } = result
  while (url.includes('/hangs'));
  if (url.includes('/breaks')) throw new RangeError('the reader broke')
}
