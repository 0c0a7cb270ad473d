import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import type { MadeKey } from '../../api/people.ts'
import { programOrigin } from '../../components/own-address.ts'
import { useStationNow } from '../../components/ago.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { keyStateOf } from './key-form.ts'
import { NewKey } from './new-key.tsx'
import type { ApiKey } from '../../api/station-api.ts'

const KEY_STATES = ['open', 'replaced', 'expired', 'revoked']

export const KeysScreen = permitted('keys:read', 'keys.title', Keys)

function Keys() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [made, setMade] = useState<MadeKey | null>(null)
  const query = useStation(['keys'], 'GET /keys', { query: { everybody: null } })
  return (
    <>
      <h1>{t('keys.title')}</h1>
      <p className="quiet">{t('keys.lead')}</p>
      {made === null ? null : <Secret made={made} onDone={() => setMade(null)} />}
      {may('keys:write') ? <NewKey onMade={setMade} /> : null}
      <section className="card">
        <h2>{t('keys.list')}</h2>
        <KeyList query={query} onMade={setMade} />
      </section>
    </>
  )
}

/** Shown this once: the station keeps a digest of it only. */
function Secret({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <section className="card" role="status">
      <h2>{t('keys.made', { name: made.key.name })}</h2>
      <p>{t('keys.once')}</p>
      <CopyBox text={made.secret} label={t('keys.secret')} />
      <pre>
        <code>
          curl -H &quot;Authorization: Bearer $KEY&quot; {programOrigin(location.origin)}/api/me
        </code>
      </pre>
      <Button onPress={onDone}>{t('keys.kept')}</Button>
    </section>
  )
}

interface KeyListProps {
  query: { data: ApiKey[] | undefined; error: Error | null; dataUpdatedAt: number }
  onMade: (made: MadeKey) => void
}

function KeyList({ query, onMade }: KeyListProps) {
  const { t } = useTranslation()
  const columns = useColumns(onMade)
  return (
    <List
      caption={t('keys.list')}
      columns={columns}
      rows={query}
      fileName="keys"
      empty={<EmptyState title={t('keys.none')} />}
    />
  )
}

function useColumns(onMade: (made: MadeKey) => void): ListColumn<ApiKey>[] {
  const { t } = useTranslation()
  const now = useStationNow()
  const scopesOf = ({ scopes }: ApiKey): string =>
    scopes === null ? t('keys.allRights') : scopes.join(', ')
  return [
    { id: 'name', label: t('keys.name'), isAddress: true, cell: ({ name }) => <b>{name}</b> },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: (key) => <KeyMark keyView={key} now={now} />,
      value: (key) => keyStateOf(key, now).word,
      filter: choiceOf(KEY_STATES, (value) => t(`keys.state.${value}`)),
    },
    { id: 'scopes', label: t('keys.scopes'), isAddress: true, cell: scopesOf, value: scopesOf },
    { id: 'lastUsedAt', label: t('keys.used'), as: 'moment' },
    { id: 'expiresAt', label: t('keys.expires'), as: 'moment' },
    {
      id: 'change',
      label: t('join.change'),
      content: (key) => <KeyActions keyView={key} now={now} onMade={onMade} />,
    },
  ]
}

function KeyMark({ keyView, now }: { keyView: ApiKey; now: number }) {
  const { t } = useTranslation()
  const { kind, word } = keyStateOf(keyView, now)
  return <StatusBadge kind={kind} text={t(`keys.state.${word}`)} />
}

interface KeyActionsProps {
  keyView: ApiKey
  now: number
  onMade: (made: MadeKey) => void
}

function KeyActions({ keyView, now, onMade }: KeyActionsProps) {
  const { t } = useTranslation()
  const { may } = useMe()
  const rotate = useChange(
    async (id: string) =>
      onMade(await station('POST /keys/{id}/rotate', { params: { id }, body: {} })),
    ['keys'],
  )
  const revoke = useChange(
    (id: string) => station('DELETE /keys/{id}', { params: { id } }),
    ['keys'],
  )
  const { word } = keyStateOf(keyView, now)
  if (!may('keys:write') || word === 'revoked' || word === 'expired') return t('figure.unknown')
  return (
    <div className="row-actions">
      {word === 'open' ? (
        <ConfirmButton
          label={t('keys.rotate')}
          title={t('keys.rotateTitle')}
          text={t('keys.rotateText')}
          isDanger={false}
          onConfirm={() => rotate.mutate(keyView.id)}
        />
      ) : null}
      <ConfirmButton
        label={t('keys.revoke')}
        title={t('keys.revokeTitle')}
        text={t('keys.revokeText')}
        onConfirm={() => revoke.mutate(keyView.id)}
      />
      <Failure error={rotate.error ?? revoke.error} />
    </div>
  )
}
