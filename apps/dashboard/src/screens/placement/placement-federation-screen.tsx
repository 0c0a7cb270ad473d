import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { PlacementNav } from './placement-nav.tsx'
import { peersOf, treeOf, type Branch, type Federated, type PeerRow } from './station-tree.ts'

const EVERY_MS = 3_000
const KINDS: Record<PeerRow['state'], StatusKind> = { active: 'good', lost: 'bad', left: 'quiet' }

export function PlacementFederationScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="federation:read" title={t('place.nav.federation')}>
      <h1>{t('place.nav.federation')}</h1>
      <PlacementNav />
      <Federation />
    </RequirePermission>
  )
}

function Federation() {
  const { t } = useTranslation()
  const query = useStation(['federation'], 'GET /federation', { refetchInterval: EVERY_MS })
  return (
    <Loaded query={query}>
      {(status) =>
        status.isFederated ? (
          <Together status={status} />
        ) : (
          <section className="card narrow">
            <EmptyState title={t('stations.alone')} text={t('stations.aloneText')} />
            <p>{t('stations.found')}</p>
            <CopyBox
              text="minga station federate --found --name Lima"
              label={t('stations.found')}
            />
            <p>{t('stations.joinOther')}</p>
            <CopyBox
              text="minga station federate https://station.example/ --token …"
              label={t('stations.joinOther')}
            />
          </section>
        )
      }
    </Loaded>
  )
}

function Together({ status }: { status: Federated }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { exchange, measured } = status
  const share = measured?.exchangeShare ?? null
  return (
    <>
      <FiguresList
        className="tiles"
        figures={[
          { label: t('stations.owned'), value: format.count(status.owned) },
          { label: t('stations.held'), value: format.count(status.held) },
          { label: t('stations.handovers'), value: format.count(status.handovers) },
          { label: t('stations.sentBytes'), value: format.bytes(exchange.bytes) },
          { label: t('place.epoch'), value: format.count(status.epoch) },
          ...(share === null
            ? []
            : [{ label: t('place.figure.exchangeShare'), value: format.percent(share) }]),
        ]}
      />
      <ListCard
        caption={t('stations.list')}
        columns={useColumns()}
        rows={{ data: peersOf(status), error: null }}
        fileName="stations"
        empty={<EmptyState title={t('stations.alone')} />}
      />
      <section className="card">
        <h2>{t('stations.tree')}</h2>
        <Tree branch={treeOf(status.stations)} />
      </section>
    </>
  )
}

function useColumns(): ListColumn<PeerRow>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'name',
      label: t('stations.name'),
      isAddress: true,
      cell: ({ name, url, isSelf, isRegistrar }) => (
        <>
          {name}
          {isSelf ? ` · ${t('stations.self')}` : ''}
          {isRegistrar ? ` · ${t('stations.registrar')}` : ''}
          <span>{url}</span>
        </>
      ),
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: ({ state }) => <StatusBadge kind={KINDS[state]} text={t(`stations.state.${state}`)} />,
    },
    {
      id: 'branch',
      label: t('stations.branch'),
      cell: ({ branch }) => (branch === '' ? t('figure.unknown') : branch),
    },
    { id: 'capacity', label: t('place.capacity'), as: 'count' },
    { id: 'sent', label: t('stations.sent'), as: 'count' },
    { id: 'received', label: t('stations.received'), as: 'count' },
    { id: 'waiting', label: t('stations.waiting'), as: 'count' },
  ]
}

/** Federations inside the federation, as lists inside a list: that is what they are. */
function Tree({ branch }: { branch: Branch }) {
  return (
    <ul className="station-tree">
      {branch.stations.map(({ id, name, state }) => (
        <li key={id} className={state}>
          {name}
        </li>
      ))}
      {branch.branches.map((inner) => (
        <li key={inner.name} className="branch">
          <b>{inner.name}</b>
          <Tree branch={inner} />
        </li>
      ))}
    </ul>
  )
}
