/** The operations on devices that need nothing of other rooms, by name. */
import { sweepAddresses } from './addresses.ts'
import { deviceKey, deviceSession } from './device-sessions.ts'
import { enrolDevice } from './enrol.ts'
import {
  createJoinToken,
  ensureStationToken,
  listJoinTokens,
  revokeJoinToken,
} from './join-tokens.ts'
import {
  deviceRequests,
  fleetTotals,
  listDevices,
  renameDevice,
  resumeDevice,
} from './own-devices.ts'
import { sweepDetails } from './request-details.ts'

export const deviceOperations = {
  createJoinToken,
  deviceKey,
  deviceRequests,
  deviceSession,
  enrolDevice,
  ensureStationToken,
  fleetTotals,
  listDevices,
  listJoinTokens,
  renameDevice,
  resumeDevice,
  revokeJoinToken,
  sweepAddresses,
  sweepDetails,
}
