import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../api/api-types.ts'
import { readKeys, revokeKey, rotateKey, type MadeKey } from '../../api/people.ts'
import { useStationNow } from '../../parts/ago.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CopyBox } from '../../parts/copy-box.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { keyStateOf } from './key-form.ts'
import { NewKey } from './new-key.tsx'

export function KeysScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="keys:read" title={t('keys.title')}>
      <Keys />
    </ForThoseWho>
  )
}

function Keys() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [made, setMade] = useState<MadeKey | null>(null)
  const query = useQuery({ queryKey: ['keys'], queryFn: () => readKeys(false) })
  return (
    <>
      <h1>{t('keys.title')}</h1>
      <p className="quiet">{t('keys.lead')}</p>
      {made === null ? null : <Secret made={made} onDone={() => setMade(null)} />}
      {may('keys:write') ? <NewKey onMade={setMade} /> : null}
      <section className="card">
        <h2>{t('keys.list')}</h2>
        <Loaded query={query}>
          {(keys) =>
            keys.length === 0 ? (
              <p className="quiet">{t('keys.none')}</p>
            ) : (
              <KeyTable keys={keys} onMade={setMade} />
            )
          }
        </Loaded>
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
        <code>curl -H &quot;Authorization: Bearer $KEY&quot; {location.origin}/api/me</code>
      </pre>
      <Button onPress={onDone}>{t('keys.kept')}</Button>
    </section>
  )
}

function KeyTable(props: { keys: KeyView[]; onMade: (made: MadeKey) => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const moment = (at: number | null): string =>
    at === null ? t('figure.unknown') : format.moment(at)
  const columns: Column<KeyView>[] = [
    { label: t('keys.name'), isAddress: true, cell: ({ name }) => <b>{name}</b> },
    { label: t('device.stateLabel'), cell: (key) => <KeyMark keyView={key} now={now} /> },
    {
      label: t('keys.scopes'),
      isAddress: true,
      cell: ({ scopes }) => (scopes === null ? t('keys.allRights') : scopes.join(', ')),
    },
    { label: t('keys.used'), cell: ({ lastUsedAt }) => moment(lastUsedAt) },
    { label: t('keys.expires'), cell: ({ expiresAt }) => moment(expiresAt) },
    {
      label: t('join.change'),
      cell: (key) => <KeyActions keyView={key} now={now} onMade={props.onMade} />,
    },
  ]
  return (
    <DataTable
      caption={t('keys.list')}
      rows={props.keys}
      keyOf={({ id }) => id}
      columns={columns}
    />
  )
}

function KeyMark({ keyView, now }: { keyView: KeyView; now: number }) {
  const { t } = useTranslation()
  const { kind, word } = keyStateOf(keyView, now)
  return <Mark kind={kind} text={t(`keys.state.${word}`)} />
}

interface KeyActionsProps {
  keyView: KeyView
  now: number
  onMade: (made: MadeKey) => void
}

function KeyActions({ keyView, now, onMade }: KeyActionsProps) {
  const { t } = useTranslation()
  const { may } = useMe()
  const rotate = useChange(async (id: string) => onMade(await rotateKey(id)), ['keys'])
  const revoke = useChange((id: string) => revokeKey(id), ['keys'])
  const { word } = keyStateOf(keyView, now)
  if (!may('keys:write') || word === 'revoked' || word === 'expired') return t('figure.unknown')
  return (
    <div className="row-actions">
      {word === 'open' ? (
        <ConfirmButton
          label={t('keys.rotate')}
          title={t('keys.rotateTitle')}
          text={t('keys.rotateText')}
          yes={t('keys.rotate')}
          isDanger={false}
          onConfirm={() => rotate.mutate(keyView.id)}
        />
      ) : null}
      <ConfirmButton
        label={t('keys.revoke')}
        title={t('keys.revokeTitle')}
        text={t('keys.revokeText')}
        yes={t('keys.revoke')}
        onConfirm={() => revoke.mutate(keyView.id)}
      />
      <Failure error={rotate.error ?? revoke.error} />
    </div>
  )
}
