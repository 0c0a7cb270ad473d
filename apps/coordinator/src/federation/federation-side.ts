/** Puts this station's part in a federation together. */
import { randomUUID } from 'node:crypto'
import { planInThread } from '@minga/partition'
import { type MapPlanParts, MapPlan } from './map-plan.ts'
import { Exchange, type ExchangeParts } from './exchange.ts'
import { FederationActs } from './federation-acts.ts'
import { Federation, type FederationParts } from './federation.ts'

export interface FederationSide {
  federation: Federation
  federationActs: FederationActs
}

type SideParts = Omit<ExchangeParts, 'calls' | 'store'> &
  Pick<FederationParts, 'store' | 'secrets' | 'publicUrl' | 'certificate' | 'ring' | 'log'> &
  Pick<MapPlanParts, 'rules'>

export async function federationSide(parts: SideParts): Promise<FederationSide> {
  const federation = await Federation.open({
    ...parts,
    newNonce: randomUUID,
    mapPlan: new MapPlan({ ...parts, plan: (input) => planInThread(input) }),
    exchange: (calls) => new Exchange({ ...parts, calls }),
  })
  return { federation, federationActs: new FederationActs(federation) }
}
