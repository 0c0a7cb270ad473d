/** What volunteers were invited with, and which of it still opens the door. */
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { useStationNow } from '../../components/ago.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import type { JoinTokenView } from '../../api/station-api.ts'

const STATES = ['open', 'used', 'expired', 'revoked']

export function JoinTokens() {
  const { t } = useTranslation()
  const query = useStation(['join-tokens'], 'GET /join-tokens')
  const revoke = useChange(
    (id: string) => station('DELETE /join-tokens/{id}', { params: { id } }),
    ['join-tokens'],
  )
  const columns = useColumns((id) => revoke.mutate(id))
  return (
    <ListCard
      name="tokens"
      caption={t('join.tokens')}
      columns={columns}
      rows={query}
      firstSort="-made"
      fileName="invitations"
      empty={<EmptyState title={t('join.noTokens')} />}
    >
      <Failure error={revoke.error} />
    </ListCard>
  )
}

function useColumns(onRevoke: (id: string) => void): ListColumn<JoinTokenView>[] {
  const { t } = useTranslation()
  const now = useStationNow()
  return [
    { id: 'token', label: t('join.token'), as: 'code', value: ({ id }) => id, isAddress: true },
    {
      id: 'state',
      label: t('device.stateLabel'),
      value: (token) => stateOfToken(token, now).word,
      filter: choiceOf(STATES, (value) => t(`join.state.${value}`)),
      cell: (token) => <TokenMark {...{ token, now }} />,
    },
    {
      id: 'kind',
      label: t('join.kind'),
      value: ({ isReusable }) => isReusable,
      cell: ({ isReusable, isTrusted }) =>
        `${t(isReusable ? 'join.reusable' : 'join.oneTime')}${isTrusted ? `, ${t('trust.state.own')}` : ''}`,
    },
    { id: 'made', label: t('join.made'), as: 'moment', value: ({ createdAt }) => createdAt },
    {
      id: 'change',
      label: t('join.change'),
      content: (token) =>
        stateOfToken(token, now).word === 'open' ? (
          <ConfirmButton
            label={t('join.revoke')}
            title={t('join.revokeTitle')}
            text={t('join.revokeText')}
            onConfirm={() => onRevoke(token.id)}
          />
        ) : (
          t('figure.unknown')
        ),
    },
  ]
}

function TokenMark({ token, now }: { token: JoinTokenView; now: number }) {
  const { t } = useTranslation()
  const { kind, word } = stateOfToken(token, now)
  return <StatusBadge kind={kind} text={t(`join.state.${word}`)} />
}

function stateOfToken(token: JoinTokenView, now: number): { kind: StatusKind; word: string } {
  if (token.revokedAt !== null) return { kind: 'bad', word: 'revoked' }
  if (token.usedAt !== null && !token.isReusable) return { kind: 'info', word: 'used' }
  const isOver = token.expiresAt !== null && token.expiresAt <= now
  return isOver ? { kind: 'quiet', word: 'expired' } : { kind: 'good', word: 'open' }
}
