import type { PlacementEpoch, PlacementMove } from '@minga/protocol'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { ApiFailure } from '../../api/call.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { Loaded } from '../../components/loaded.tsx'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { PlacementNav } from './placement-nav.tsx'
import { PlanStory } from './plan-story.tsx'
import { useDeviceNames } from './use-device-names.ts'
import { useEpoch } from './use-epoch.ts'

export function PlacementEpochScreen() {
  const { t } = useTranslation()
  const { epoch: asked = '' } = useParams({ strict: false })
  return (
    <RequirePermission may="settings:read" title={t('place.title')}>
      <h1>{t('place.epochNo', { epoch: asked })}</h1>
      <PlacementNav />
      <Epoch number={Number(asked)} />
    </RequirePermission>
  )
}

function Epoch({ number }: { number: number }) {
  const { t } = useTranslation()
  const nameOf = useDeviceNames()
  const query = useEpoch(number)
  if (query.error instanceof ApiFailure && query.error.status === 404) return <NoSuchEpoch />
  return (
    <Loaded query={query}>
      {(epoch) => (
        <>
          <section className="card">
            <h2>{t('place.plan')}</h2>
            <PlanStory epoch={epoch} nameOf={nameOf} />
          </section>
          <Moves epoch={epoch} />
        </>
      )}
    </Loaded>
  )
}

function NoSuchEpoch() {
  const { t } = useTranslation()
  return (
    <section className="card">
      <EmptyState title={t('place.noSuchEpoch')} text={t('place.epochsLead')}>
        <Link to="/placement/epochs">{t('place.nav.epochs')}</Link>
      </EmptyState>
    </section>
  )
}

/** Its hosts go from one agent to another: here `from` and `to` are names of agents. */
function Moves({ epoch }: { epoch: PlacementEpoch }) {
  const { t } = useTranslation()
  const number = epoch.epoch
  const read = sortedPages<PlacementMove>((query) =>
    station('GET /place/epochs/{epoch}/moves', { params: { epoch: number }, query }),
  )
  return (
    <ListCard
      caption={t('place.moves')}
      columns={useColumns(epoch)}
      keyOf={({ host }) => host}
      searchLabel={t('place.searchHost')}
      fileName={`moves-of-epoch-${number}`}
      firstSort="-pages"
      empty={<EmptyState title={t('place.noMoves')} text={t('place.noMovesText')} />}
      pages={{ key: ['moves', number], read }}
    />
  )
}

function useColumns({ parts }: PlacementEpoch): ListColumn<PlacementMove>[] {
  const { t } = useTranslation()
  const nameOf = useDeviceNames()
  const choices = parts.map(({ device }) => ({ value: device, label: nameOf(device) }))
  const end = (id: 'from' | 'to'): ListColumn<PlacementMove> => ({
    id,
    label: t(`place.${id}`),
    isAddress: true,
    canSort: true,
    value: (move) => nameOf(move[id]),
    filter: { kind: 'choice', choices },
    cell: (move) => nameOf(move[id]),
  })
  return [
    { id: 'host', label: t('place.host'), as: 'text', isAddress: true, canSort: true },
    end('from'),
    end('to'),
    { id: 'pages', label: t('place.pagesCount'), as: 'count', canSort: true },
  ]
}
