/** The small forms of the first steps: each does the real thing, the screens of their areas do more. */
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent, type ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { joinCommand } from '../agents/join-command.ts'
import { JoinWarnings, useJoinPlace } from '../agents/join-place.tsx'
import { askSmall, type SmallAnswer } from './first-run-calls.ts'
import { seedOf } from './first-run-steps.ts'

const CRAWL_COMMAND = 'npx minga crawl https://example.org/docs/ --scope prefix'
const SQL_COMMAND = 'npx minga sql "SELECT host, count(*) FROM captures GROUP BY host"'
const FIRST_QUESTION = 'SELECT host, count(*) AS captures FROM captures GROUP BY host'

export function CollectStep() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [address, setAddress] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const start = useChange(
    (seed: string) =>
      station('POST /collections', {
        body: { seeds: [seed], scope: 'host', existing: 'continue' },
      }),
    [],
  )
  if (!may('collections:write')) {
    return <CopyBox text={CRAWL_COMMAND} label={t('start.collect.command')} />
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const seed = seedOf(address)
    setIsWrong(seed === null)
    if (seed !== null) start.mutate(seed)
  }
  return (
    <Asking
      onSubmit={submit}
      button={t('start.collect.button')}
      isBusy={start.isPending}
      more={<Link to="/new">{t('start.collect.more')}</Link>}
    >
      <Field
        label={t('start.collect.address')}
        value={address}
        onChange={setAddress}
        placeholder="https://example.org/docs/"
        problem={isWrong ? t('start.collect.wrong') : undefined}
      />
      <Failure error={start.error} />
    </Asking>
  )
}

export function InviteStep() {
  const { t } = useTranslation()
  const { may } = useMe()
  const { place, error } = useJoinPlace()
  const make = useChange(() => station('POST /join-tokens', { body: {} }), ['join-tokens'])
  const more = <Link to="/join">{t('start.invite.more')}</Link>
  if (!may('join-tokens:write')) return <p>{more}</p>
  return (
    <>
      {make.data === undefined || place === null ? null : (
        <>
          <CopyBox text={joinCommand(place, make.data.token)} label={t('start.invite.command')} />
          <JoinWarnings place={place} />
        </>
      )}
      <Failure error={make.error ?? error} />
      <div className="first-actions">
        {make.data === undefined ? (
          <Button isDisabled={make.isPending} onPress={() => make.mutate(undefined)}>
            {t('start.invite.button')}
          </Button>
        ) : null}
        {more}
      </div>
    </>
  )
}

export function AskStep({ onAnswer }: { onAnswer: () => void }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const [sql, setSql] = useState(FIRST_QUESTION)
  const ask = useChange(async (text: string) => {
    const answer = await askSmall(text)
    onAnswer()
    return answer
  }, [])
  if (!may('tables:read')) return <CopyBox text={SQL_COMMAND} label={t('start.ask.command')} />
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (sql.trim() !== '') ask.mutate(sql)
  }
  return (
    <Asking onSubmit={submit} button={t('start.ask.button')} isBusy={ask.isPending}>
      <Field label={t('start.ask.question')} value={sql} onChange={setSql} rows={2} />
      <Failure error={ask.error} />
      {ask.data === undefined ? null : <Answer answer={ask.data} />}
    </Asking>
  )
}

interface AskingProps {
  onSubmit: (event: FormEvent) => void
  button: string
  isBusy: boolean
  /** Next to the button: where more can be chosen. */
  more?: ReactNode
  children: ReactNode
}

function Asking({ onSubmit, button, isBusy, more, children }: AskingProps) {
  return (
    <form onSubmit={onSubmit}>
      {children}
      <div className="first-actions">
        <Button type="submit" className="primary" isDisabled={isBusy}>
          {button}
        </Button>
        {more}
      </div>
    </form>
  )
}

function Answer({ answer }: { answer: SmallAnswer }) {
  const { t } = useTranslation()
  const { columns, rows } = answer
  if (rows.length === 0) return <p className="quiet">{t('start.ask.empty')}</p>
  return (
    <div className="first-answer" tabIndex={0} role="region" aria-label={t('start.ask.answer')}>
      <table>
        <caption className="unseen">{t('start.ask.answer')}</caption>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((value, column) => (
                <td key={column}>{String(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
