import type { PlacementState } from '@minga/protocol'
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DownloadLink } from '../../components/download-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { barsOf } from './part-bars.ts'
import { PartSizes } from './part-sizes.tsx'
import { PlacementNav } from './placement-nav.tsx'
import { PlanStory } from './plan-story.tsx'
import { usePlaceState } from './use-device-names.ts'

/** A map needs two to choose between. */
const AGENTS_LEAST = 2

export function PlacementScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="settings:read" title={t('place.title')}>
      <h1>{t('place.title')}</h1>
      <PlacementNav />
      <Now />
    </RequirePermission>
  )
}

function Now() {
  const query = usePlaceState()
  return (
    <Loaded query={query}>
      {(state) => (
        <>
          <InForce state={state} />
          {state.map === null ? <NoMap state={state} /> : <MapNow state={state} />}
        </>
      )}
    </Loaded>
  )
}

function InForce({ state }: { state: PlacementState }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const { strategy, source, changedAt, changedBy, readyAgents, now } = state
  const plan = useChange(
    () => station('POST /place/repartition', { body: {} }),
    ['place', 'epochs'],
  )
  return (
    <section className="card">
      <header className="card-head">
        <h2>
          {t('place.inForce')} <code>{strategy}</code>
        </h2>
        {state.isPlanning ? <StatusBadge kind="info" text={t('place.planning')} /> : null}
      </header>
      <p>{t(`place.strategy.${strategy}`)}</p>
      <p className="quiet">
        {changedAt === null
          ? t(source === 'default' ? 'place.byDefault' : 'place.byFlag')
          : t('place.byPerson', { who: changedBy ?? '', when: format.moment(changedAt) })}{' '}
        <Link to="/config">{t('place.settings')}</Link>
      </p>
      <FiguresList
        figures={[
          { label: t('place.ready'), value: format.count(readyAgents) },
          ...(now === null
            ? []
            : [
                {
                  label: t('place.figure.exchangeShare'),
                  value: format.percent(now.exchangeShare),
                },
                { label: t('place.figure.imbalance'), value: format.percent(now.imbalance) },
              ]),
        ]}
      />
      <div className="actions">
        {may('settings:write') && strategy === 'partitioned' ? (
          <ConfirmButton
            label={t('place.planNow')}
            title={t('place.planTitle')}
            text={t('place.planText')}
            isDanger={false}
            isDisabled={readyAgents < AGENTS_LEAST || state.isPlanning}
            onConfirm={() => plan.mutate(undefined)}
          />
        ) : null}
        {state.map === null ? null : (
          <>
            <DownloadLink path="/place/assignment?as=csv" fileName="assignment.csv">
              {t('place.downloadCsv')}
            </DownloadLink>
            <DownloadLink path="/place/assignment?as=jsonl" fileName="assignment.jsonl">
              {t('place.downloadJsonl')}
            </DownloadLink>
          </>
        )}
      </div>
      <Failure error={plan.error} />
    </section>
  )
}

/** What is missing until there is one, and the next step to it. */
function NoMap({ state: { strategy, readyAgents } }: { state: PlacementState }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const change = useChange(
    () => station('PATCH /settings', { body: { strategy: 'partitioned' } }),
    ['place', 'settings'],
  )
  const isPartitioned = strategy === 'partitioned'
  const isFew = readyAgents < AGENTS_LEAST
  const title = isFew ? 'place.fewTitle' : isPartitioned ? 'place.soonTitle' : 'place.otherTitle'
  const text = isFew ? 'place.fewText' : isPartitioned ? 'place.soonText' : 'place.otherText'
  return (
    <section className="card">
      <EmptyState title={t(title)} text={t(text)}>
        {isFew ? (
          <Link to="/join" className="button primary">
            {t('join.title')}
          </Link>
        ) : null}
        {!isPartitioned && may('settings:write') ? (
          <Button isDisabled={change.isPending} onPress={() => change.mutate(undefined)}>
            {t('place.usePartitioned')}
          </Button>
        ) : null}
      </EmptyState>
      <Failure error={change.error} />
    </section>
  )
}

function MapNow({ state }: { state: PlacementState }) {
  const { t } = useTranslation()
  const map = state.map!
  const nameOf = (device: string | null): string =>
    device === null ? '' : (state.names[device] ?? device)
  return (
    <>
      <section className="card">
        <h2>{t('place.sizes')}</h2>
        <PartSizes bars={barsOf(map, state.imbalanceMax)} nameOf={nameOf} />
      </section>
      <section className="card">
        <h2>{t('place.lastPlan')}</h2>
        <PlanStory epoch={map} nameOf={nameOf} />
        <div className="actions">
          <Link to="/placement/epochs/$epoch" params={{ epoch: String(map.epoch) }}>
            {t('place.seeMoves')}
          </Link>
        </div>
      </section>
    </>
  )
}
