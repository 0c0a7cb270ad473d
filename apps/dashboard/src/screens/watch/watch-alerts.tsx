/** Who is notified of changes: the alerts of one watch, or of an account, and what was sent. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { AlertView, DeliveryView, NewAlertView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { Ago } from '../../components/ago.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { DELIVERY_MARKS } from './watch-alerts-form.ts'
import { NewAlert } from './watch-alerts-new.tsx'

const EVERY_MS = 5_000
const ROWS = 20
const TOUCHED = ['alerts']

export function AlertsScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="watches:write" title={t('alert.title')}>
      <h1>{t('alert.title')}</h1>
      <p className="quiet">{t('alert.lead')}</p>
      <WatchAlerts watchId={null} />
    </RequirePermission>
  )
}

/** Null: of the account. */
export function WatchAlerts({ watchId }: { watchId: number | null }) {
  const { t } = useTranslation()
  const [made, setMade] = useState<NewAlertView | null>(null)
  return (
    <>
      <section className="card">
        <h2>{t(watchId === null ? 'alert.list' : 'alert.listOfWatch')}</h2>
        {made === null ? null : <Made alert={made} onKept={() => setMade(null)} />}
        <AlertList watchId={watchId} />
        <details>
          <summary>{t('alert.new')}</summary>
          <NewAlert watchId={watchId} onMade={setMade} />
        </details>
      </section>
      <Deliveries watchId={watchId} />
    </>
  )
}

/** What is shown this once, and the address of a feed. */
function Made({ alert, onKept }: { alert: NewAlertView; onKept: () => void }) {
  const { t } = useTranslation()
  if (alert.secret === null) return null
  return (
    <div className="banner" role="status">
      <p>{t('alert.secretOnce')}</p>
      <CopyBox text={alert.secret} label={t('alert.secret')} />
      <Button onPress={onKept}>{t('keys.kept')}</Button>
    </div>
  )
}

function AlertList({ watchId }: { watchId: number | null }) {
  const { t } = useTranslation()
  const columns = useColumns(watchId)
  const query = useStation(['alerts', 'rules', watchId], 'GET /alerts', {
    query: { watchId },
    refetchInterval: EVERY_MS,
  })
  return (
    <Loaded query={query}>
      {(alerts) =>
        alerts.length === 0 ? (
          <p className="quiet">{t('alert.none')}</p>
        ) : (
          <DataTable
            caption={t('alert.list')}
            columns={columns}
            rows={alerts}
            keyOf={({ id }) => id}
          />
        )
      }
    </Loaded>
  )
}

function useColumns(watchId: number | null): Column<AlertView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const of: Column<AlertView> = {
    label: t('alert.watch'),
    cell: (alert) => <OfWatch id={alert.watchId} />,
  }
  return [
    { label: t('alert.channel'), cell: ({ channel }) => t(`alert.by.${channel}`) },
    { label: t('alert.to'), isAddress: true, cell: (alert) => <Target alert={alert} /> },
    ...(watchId === null ? [of] : []),
    { label: t('alert.tells'), cell: (alert) => <Tells alert={alert} /> },
    { label: t('alert.when'), cell: (alert) => <When alert={alert} /> },
    { label: t('alert.waiting'), isNumber: true, cell: ({ waiting }) => format.count(waiting) },
    { label: t('join.change'), cell: (alert) => <Actions alert={alert} /> },
  ]
}

function OfWatch({ id }: { id: number | null }) {
  const { t } = useTranslation()
  if (id === null) return t('alert.allWatches')
  return (
    <Link to="/watches/$id" params={{ id: String(id) }}>
      {id}
    </Link>
  )
}

function Target({ alert: { target, feedUrl } }: { alert: AlertView }) {
  const { t } = useTranslation()
  if (feedUrl === null) return target
  return <a href={feedUrl}>{t('alert.feedAddress')}</a>
}

function Tells({ alert }: { alert: AlertView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { changes, leastMagnitude, failuresInRow, tellsBack } = alert
  const least =
    leastMagnitude > 0 ? ` (${t('alert.from', { share: format.percent(leastMagnitude) })})` : ''
  const parts = [
    ...(changes === 'none' ? [] : [`${t(`alert.changes.${changes}`)}${least}`]),
    ...(failuresInRow === null ? [] : [t('alert.failuresTold', { count: failuresInRow })]),
    ...(tellsBack ? [t('alert.back')] : []),
  ]
  return parts.join(' · ')
}

function When({ alert }: { alert: AlertView }) {
  const { t } = useTranslation()
  const { isActive, unsubscribedAt, mailbox, digest, quiet, zone } = alert
  if (isActive && mailbox !== null && mailbox !== 'confirmed') {
    return <StatusBadge kind="quiet" text={t(`alert.mailbox.${mailbox}`)} />
  }
  if (!isActive) {
    return (
      <StatusBadge kind="quiet" text={t(unsubscribedAt === null ? 'alert.off' : 'alert.left')} />
    )
  }
  const hours = quiet === null ? '' : ` · ${t('alert.notIn', { ...quiet, zone })}`
  return `${t(`alert.digest.${digest}`)}${hours}`
}

function Actions({ alert }: { alert: AlertView }) {
  const { t } = useTranslation()
  const { id, isActive, channel } = alert
  const test = useChange(
    () => station('POST /alerts/{id}/test', { params: { id }, body: {} }),
    TOUCHED,
  )
  const turn = useChange(
    () => station('PATCH /alerts/{id}', { params: { id }, body: { isActive: !isActive } }),
    TOUCHED,
  )
  const remove = useChange(() => station('DELETE /alerts/{id}', { params: { id } }), TOUCHED)
  const tested = test.data
  return (
    <>
      <div className="actions">
        {channel === 'feed' ? null : (
          <Button onPress={() => test.mutate(undefined)} isDisabled={test.isPending}>
            {t('alert.test')}
          </Button>
        )}
        <Button onPress={() => turn.mutate(undefined)} isDisabled={turn.isPending}>
          {t(isActive ? 'alert.turnOff' : 'alert.turnOn')}
        </Button>
        <ConfirmButton
          label={t('alert.remove')}
          title={t('alert.removeTitle')}
          text={t('alert.removeText')}
          onConfirm={() => remove.mutate(undefined)}
        />
      </div>
      {tested === undefined ? null : (
        <p role="status">
          {tested.state === 'sent'
            ? t('alert.testSent')
            : `${t('alert.testFailed')} ${tested.problem}`}
        </p>
      )}
      <Failure error={test.error ?? turn.error ?? remove.error} />
    </>
  )
}

function Deliveries({ watchId }: { watchId: number | null }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['alerts', 'deliveries', watchId], 'GET /alerts/deliveries', {
    query: { watchId, limit: ROWS },
    refetchInterval: EVERY_MS,
  })
  const columns: Column<DeliveryView>[] = [
    { label: t('captures.when'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      label: t('device.stateLabel'),
      cell: ({ state }) => (
        <StatusBadge kind={DELIVERY_MARKS[state]} text={t(`alert.state.${state}`)} />
      ),
    },
    {
      label: t('alert.told'),
      isNumber: true,
      cell: ({ kind, alerts }) => (kind === 'test' ? t('alert.aTest') : format.count(alerts)),
    },
    {
      label: t('alert.to'),
      isAddress: true,
      cell: ({ target, channel }) => target || t(`alert.by.${channel}`),
    },
    { label: t('alert.tries'), isNumber: true, cell: ({ tries }) => format.count(tries) },
    {
      label: t('alert.problem'),
      cell: ({ problem, nextTryAt }) =>
        problem === null
          ? '–'
          : nextTryAt === null
            ? problem
            : `${problem} · ${t('alert.nextTry', { time: format.moment(nextTryAt) })}`,
    },
  ]
  const deliveries = query.data ?? []
  if (deliveries.length === 0) return null
  return (
    <section className="card">
      <h2>{t('alert.deliveries')}</h2>
      <DataTable
        caption={t('alert.deliveries')}
        columns={columns}
        rows={deliveries}
        keyOf={({ id }) => id}
      />
    </section>
  )
}
