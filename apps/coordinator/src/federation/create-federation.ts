/** Puts this station's part in a federation together. */
import { randomUUID } from 'node:crypto'
import { planInThread } from '@minga/partition'
import { type MapPlanParts, MapPlan } from './registrar/map-plan.ts'
import { Exchange, type ExchangeParts } from './member/exchange.ts'
import { FederationAdmin } from './federation-admin.ts'
import { Federation, type FederationParts } from './federation.ts'

export interface FederationServices {
  federation: Federation
  federationAdmin: FederationAdmin
}

type FederationOptions = Omit<ExchangeParts, 'calls' | 'store'> &
  Pick<FederationParts, 'store' | 'secrets' | 'publicUrl' | 'certificate' | 'ring' | 'log'> &
  Pick<MapPlanParts, 'rules'>

export async function createFederation(parts: FederationOptions): Promise<FederationServices> {
  const federation = await Federation.open({
    ...parts,
    newNonce: randomUUID,
    mapPlan: new MapPlan({ ...parts, plan: (input) => planInThread(input) }),
    exchange: (calls) => new Exchange({ ...parts, calls }),
  })
  return { federation, federationAdmin: new FederationAdmin(federation) }
}
