/** The sessions of a user, and how to end them. */
import type { SessionView } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { browserName } from './browser-name.ts'

export function Sessions() {
  const { t } = useTranslation()
  const query = useStation(['sessions'], 'GET /sessions')
  const endOthers = useChange(
    () => station('DELETE /sessions', { query: { others: true } }),
    ['sessions'],
  )
  const columns = useColumns()
  const others = query.data?.filter(({ isThis }) => !isThis).length ?? 0
  return (
    <section className="card">
      <h2>{t('sessions.title')}</h2>
      <p className="quiet">{t('sessions.lead')}</p>
      <List
        name="sessions"
        caption={t('sessions.title')}
        columns={columns}
        rows={query}
        searchLabel={null}
        fileName="sessions"
        empty={<p className="quiet">{t('sessions.none')}</p>}
      />
      <Failure error={endOthers.error} />
      {others === 0 ? null : (
        <div className="actions">
          <ConfirmButton
            label={t('sessions.endOthers')}
            title={t('sessions.endOthersTitle')}
            text={t('sessions.endOthersText', { count: others })}
            onConfirm={() => endOthers.mutate(undefined)}
          />
        </div>
      )}
    </section>
  )
}

function useColumns(): ListColumn<SessionView>[] {
  const { t } = useTranslation()
  const nameOf = ({ client }: SessionView): string => browserName(client) ?? t('figure.unknown')
  return [
    {
      id: 'browser',
      label: t('sessions.browser'),
      isAddress: true,
      value: nameOf,
      cell: (session) => (
        <>
          <b>{nameOf(session)}</b>{' '}
          {session.isThis ? <StatusBadge kind="good" text={t('sessions.this')} /> : null}
        </>
      ),
    },
    {
      id: 'seenAt',
      label: t('sessions.seen'),
      as: 'ago',
      value: ({ seenAt, createdAt }) => seenAt ?? createdAt,
    },
    { id: 'createdAt', label: t('sessions.since'), as: 'moment' },
    { id: 'expiresAt', label: t('keys.expires'), as: 'moment' },
    {
      id: 'change',
      label: t('join.change'),
      content: (session) => <EndButton session={session} />,
    },
  ]
}

function EndButton({ session }: { session: SessionView }) {
  const { t } = useTranslation()
  const end = useChange(
    (id: string) => station('DELETE /sessions/{id}', { params: { id } }),
    ['sessions'],
  )
  // This one ends by logging out, which also forgets it here.
  if (session.isThis) return t('figure.unknown')
  return (
    <>
      <ConfirmButton
        label={t('sessions.end')}
        title={t('sessions.endTitle')}
        text={t('sessions.endText')}
        onConfirm={() => end.mutate(session.id)}
      />
      <Failure error={end.error} />
    </>
  )
}
