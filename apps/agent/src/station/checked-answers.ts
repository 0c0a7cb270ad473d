/** How each answer of a station is checked. The checks are loaded with the first answer: a program that
 * only wants to show its help starts without them. */
import type {
  LeaseResponse,
  Challenge,
  Enrolment,
  LoadOrder,
  UploadAnswer,
  Welcome,
} from '@minga/protocol'
import type { ReadAnswer } from './station-call.ts'

const checks = () => import('@minga/protocol/station-answers')

export const asEnrolment: ReadAnswer<Enrolment> = async (json) =>
  (await checks()).readEnrolment(json)
export const asChallenge: ReadAnswer<Challenge> = async (json) =>
  (await checks()).readChallenge(json)
export const asWelcome: ReadAnswer<Welcome> = async (json) => (await checks()).readWelcome(json)
export const asLease: ReadAnswer<LeaseResponse> = async (json) => (await checks()).readLease(json)
export const asUploaded: ReadAnswer<UploadAnswer> = async (json) =>
  (await checks()).readUploaded(json)
export const asLoadOrder: ReadAnswer<LoadOrder> = async (json) =>
  (await checks()).readLoadOrder(json)

/** Whatever it says, nothing of it is used. */
export const asNothing: ReadAnswer<void> = async () => ({ answer: undefined })
