/** What this machine tells a station of itself: enough to recognise it in a list of devices. */
import { hostname, release, type } from 'node:os'
import type { DeviceFacts } from '@minga/protocol'

const AGENT_SOFTWARE = 'minga-agent/0.1.0'

export function deviceFacts(): DeviceFacts {
  return { os: type(), osVersion: release(), hostName: hostname(), software: AGENT_SOFTWARE }
}
