/** The operations on devices that need nothing of other rooms, by name. */
import type { OperationTable } from '@minga/store'
import { sweepAddresses } from './addresses.ts'
import { contributions } from './contributions.ts'
import { ratesOf, sweepRates } from './device-rates.ts'
import { deviceKey, deviceSession } from './device-sessions.ts'
import { noteRefusal, tellOwner, undrainDevice } from './drain.ts'
import { enrolDevice } from './enrol.ts'
import { awayDevices, connectedDevices } from './find-devices.ts'
import {
  createJoinToken,
  ensureStationToken,
  listJoinTokens,
  revokeJoinToken,
} from './join-tokens.ts'
import { deviceRequests, renameDevice, resumeDevice } from './own-devices.ts'
import { sweepDetails } from './request-details.ts'

export const deviceOperations = {
  awayDevices,
  connectedDevices,
  contributions,
  createJoinToken,
  deviceKey,
  deviceRequests,
  deviceSession,
  enrolDevice,
  ensureStationToken,
  listJoinTokens,
  noteRefusal,
  ratesOf,
  renameDevice,
  resumeDevice,
  revokeJoinToken,
  sweepAddresses,
  sweepDetails,
  sweepRates,
  tellOwner,
  undrainDevice,
} satisfies OperationTable
