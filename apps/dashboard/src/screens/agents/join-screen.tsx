import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { JoinTokenRow } from '../../api/api-types.ts'
import { makeJoinToken, readJoinTokens, revokeJoinToken } from '../../api/devices.ts'
import { useStationNow } from '../../parts/ago.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CopyBox } from '../../parts/copy-box.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark, type MarkKind } from '../../parts/mark.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'
import { joinCommand } from './device-marks.ts'

export function JoinScreen() {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  return (
    <>
      <section className="card narrow">
        <h1>{t('join.title')}</h1>
        <p>{t('join.lead')}</p>
        <ul>
          <li>{t('join.asks')}</li>
          <li>{t('join.never')}</li>
          <li>{t('join.earns')}</li>
        </ul>
        {isKnown && me === null ? (
          <p>
            {t('join.needsAccount')}{' '}
            <Link to="/register" className="button primary">
              {t('people.register')}
            </Link>{' '}
            <Link to="/log-in">{t('people.haveAccount')}</Link>
          </p>
        ) : null}
        {me !== null && !may('join-tokens:write') ? <p>{t('join.mayNot')}</p> : null}
        {may('join-tokens:write') ? <Invitation /> : null}
      </section>
      {may('join-tokens:read') ? <Tokens /> : null}
    </>
  )
}

function Invitation() {
  const { t } = useTranslation()
  const format = useFormat()
  const make = useChange(() => makeJoinToken(), ['join-tokens'])
  return (
    <>
      <div className="actions">
        <Button
          className="primary"
          isDisabled={make.isPending}
          onPress={() => make.mutate(undefined)}
        >
          {t('join.make')}
        </Button>
      </div>
      <Failure error={make.error} />
      {make.data === undefined ? null : (
        <>
          <p>{t('join.run')}</p>
          <CopyBox text={joinCommand(location.origin, make.data.token)} label={t('join.command')} />
          <p className="quiet">{t('join.once', { time: format.moment(make.data.expiresAt) })}</p>
        </>
      )}
    </>
  )
}

function Tokens() {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const query = useQuery({ queryKey: ['join-tokens'], queryFn: readJoinTokens })
  const revoke = useChange((id: string) => revokeJoinToken(id), ['join-tokens'])
  return (
    <section className="card">
      <h2>{t('join.tokens')}</h2>
      <Failure error={revoke.error} />
      <Loaded query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="quiet">{t('join.noTokens')}</p>
          ) : (
            <DataTable
              caption={t('join.tokens')}
              rows={tokens.toReversed()}
              keyOf={({ id }) => id}
              columns={[
                { label: t('join.token'), isAddress: true, cell: ({ id }) => <code>{id}</code> },
                {
                  label: t('device.stateLabel'),
                  cell: (token) => <TokenMark {...{ token, now }} />,
                },
                {
                  label: t('join.kind'),
                  cell: ({ isReusable, isTrusted }) =>
                    `${t(isReusable ? 'join.reusable' : 'join.oneTime')}${isTrusted ? `, ${t('trust.state.own')}` : ''}`,
                },
                { label: t('join.made'), cell: ({ createdAt }) => format.moment(createdAt) },
                {
                  label: t('join.change'),
                  cell: (token) =>
                    stateOfToken(token, now).word === 'open' ? (
                      <ConfirmButton
                        label={t('join.revoke')}
                        title={t('join.revokeTitle')}
                        text={t('join.revokeText')}
                        yes={t('join.revoke')}
                        onConfirm={() => revoke.mutate(token.id)}
                      />
                    ) : (
                      t('figure.unknown')
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}

function TokenMark({ token, now }: { token: JoinTokenRow; now: number }) {
  const { t } = useTranslation()
  const { kind, word } = stateOfToken(token, now)
  return <Mark kind={kind} text={t(`join.state.${word}`)} />
}

function stateOfToken(token: JoinTokenRow, now: number): { kind: MarkKind; word: string } {
  if (token.revokedAt !== null) return { kind: 'bad', word: 'revoked' }
  if (token.usedAt !== null && !token.isReusable) return { kind: 'info', word: 'used' }
  const isOver = token.expiresAt !== null && token.expiresAt <= now
  return isOver ? { kind: 'quiet', word: 'expired' } : { kind: 'good', word: 'open' }
}
