/** The thread that unpacks and reads what strangers sent: what never ends there is ended from outside. */
import { answerCalls } from '@minga/protocol'
import { answerCheckCall } from './check-calls.ts'

answerCalls(answerCheckCall)
