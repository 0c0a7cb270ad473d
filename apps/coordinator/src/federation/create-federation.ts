/** Puts this station's part in a federation together. */
import { randomUUID } from 'node:crypto'
import type { ForeignLimits } from '@minga/frontier'
import { planInThread } from '@minga/partition'
import type { SettingValues } from '../station/settings/registry.ts'
import type { Station } from '../station/station.ts'
import { MapPlan } from './registrar/map-plan.ts'
import { Exchange } from './member/exchange.ts'
import { FederationAdmin } from './federation-admin.ts'
import { Federation, type FederationContext } from './federation.ts'

export interface FederationServices {
  federation: Federation
  federationAdmin: FederationAdmin
}

/** `changed`: a collection's scope may have changed. */
export async function createFederation(
  station: Station,
  certificate: FederationContext['certificate'],
  changed: (collectionId: number) => void,
): Promise<FederationServices> {
  const { work, settings, log, eventLog } = station
  const foreign = {
    foreignLimits: () => foreignLimits(settings.current()),
    ring: () => work.notifyAll(),
    changed,
  }
  const federation = await Federation.open({
    ...station,
    certificate,
    newNonce: randomUUID,
    mapPlan: new MapPlan({ ...station, plan: (input) => planInThread(input) }),
    exchange: (calls) => new Exchange({ ...station, ...foreign, calls }),
    log: (line) => {
      log(line)
      const message = withoutName(line)
      const noted = { subject: '', sentence: message, details: { message } }
      eventLog.note({ code: 'federation:trouble', ...noted })
    },
  })
  return { federation, federationAdmin: new FederationAdmin(federation) }
}

function foreignLimits(values: SettingValues): ForeignLimits {
  const { foreignDelayMs: delayMs, foreignPagesMax: pagesMax, foreignBytesMax: bytesMax } = values
  return { delayMs, pagesMax, bytesMax }
}

/** What stands before a line on stderr says nothing in the log. */
function withoutName(line: string): string {
  return line.replace(/^minga: /, '')
}
