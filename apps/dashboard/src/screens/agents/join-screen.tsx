import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/field.tsx'
import { station } from '../../api/station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import {
  joinAgain,
  joinCommand,
  NO_LIMITS,
  type JoinLimits,
  type JoinPlace,
  badLimits,
  LIMIT_FIELDS,
} from './join-command.ts'
import { JoinProgram, JoinWarnings, useJoinPlace } from './join-place.tsx'
import { JoinTokens } from './join-tokens.tsx'

/** What stands for the token until one is made. */
const NO_TOKEN = '…'

export function JoinScreen() {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  return (
    <>
      <section className="card narrow">
        <h1>{t('join.title')}</h1>
        <p>{t('join.lead')}</p>
        <div className="promises">
          <div>
            <h2>{t('join.does')}</h2>
            <ul>
              <li>{t('join.asks')}</li>
              <li>{t('join.earns')}</li>
              <li>{t('join.obeys')}</li>
            </ul>
          </div>
          <div>
            <h2>{t('join.doesNot')}</h2>
            <ul>
              <li>{t('join.never')}</li>
              <li>{t('join.noFiles')}</li>
              <li>{t('join.noNames')}</li>
            </ul>
          </div>
        </div>
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
        <Invitation />
      </section>
      <HowTo />
      {may('join-tokens:read') ? <JoinTokens /> : null}
    </>
  )
}

/** The line is there from the start, so that everybody sees what they would run; a token makes it work. */
function Invitation() {
  const { t } = useTranslation()
  const { may } = useMe()
  const { place, error } = useJoinPlace()
  const [limits, setLimits] = useState(NO_LIMITS)
  const make = useChange(() => station('POST /join-tokens', { body: {} }), ['join-tokens'])
  return (
    <>
      <JoinLimitsForm limits={limits} onChange={setLimits} />
      {may('join-tokens:write') ? (
        <div className="actions">
          <Button
            className="primary"
            isDisabled={make.isPending}
            onPress={() => make.mutate(undefined)}
          >
            {t('join.make')}
          </Button>
        </div>
      ) : null}
      <Failure error={make.error ?? error} />
      {place === null ? null : <Line place={place} limits={limits} made={make.data} />}
    </>
  )
}

interface LineProps {
  place: JoinPlace
  limits: JoinLimits
  made: { token: string; expiresAt: number } | undefined
}

function Line({ place, limits, made }: LineProps) {
  const { t } = useTranslation()
  const format = useFormat()
  if (made === undefined) {
    return (
      <>
        <p className="quiet">
          {t('join.looksLike')} <code>{joinCommand(place, NO_TOKEN, limits)}</code>
        </p>
        <JoinWarnings place={place} />
      </>
    )
  }
  const moment = { time: format.moment(made.expiresAt), again: joinAgain(place) }
  return (
    <>
      <p>{t('join.run')}</p>
      <CopyBox text={joinCommand(place, made.token, limits)} label={t('join.command')} />
      <p className="quiet">{t('join.once', moment)}</p>
      <JoinWarnings place={place} />
    </>
  )
}

/** Names of systems are the same in every language. */
const SYSTEMS = [
  ['Linux', 'join.onLinux'],
  ['macOS', 'join.onMac'],
  ['Windows', 'join.onWindows'],
] as const

function HowTo() {
  const { t } = useTranslation()
  const { program } = useJoinPlace()
  return (
    <section className="card narrow">
      <h2>{t('join.how')}</h2>
      <h3>{t('join.systems')}</h3>
      {program === null ? null : (
        <>
          <p>{t('join.systemsNote')}</p>
          <JoinProgram program={program} />
        </>
      )}
      <dl className="systems">
        {SYSTEMS.map(([system, key]) => (
          <div key={system}>
            <dt>{system}</dt>
            <dd>{t(key)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('join.stopping')}</h3>
      <ul>
        <li>
          {t('join.stopNow')} <kbd>Ctrl-C</kbd>
        </li>
        <li>
          {t('join.stopPause')} <code>minga-agent pause</code>
        </li>
        <li>
          {t('join.stopLeave')} <code>minga-agent leave --forget</code>
        </li>
        <li>{t('join.stopPage')}</li>
      </ul>
    </section>
  )
}

const EXAMPLES: Record<(typeof LIMIT_FIELDS)[number][0], string> = {
  bandwidth: '1MB',
  monthly: '20GB',
  hours: '22:00-07:00',
  cpu: '0.5',
}

interface JoinLimitsFormProps {
  limits: JoinLimits
  onChange: (limits: JoinLimits) => void
}

/** What a volunteer lends, as fields that change the command. */
function JoinLimitsForm({ limits, onChange }: JoinLimitsFormProps) {
  const { t } = useTranslation()
  const bad = badLimits(limits)
  const box = (name: 'worksOnBattery' | 'worksOnMetered') => (
    <Checkbox isSelected={limits[name]} onChange={(is) => onChange({ ...limits, [name]: is })}>
      <span className="box" aria-hidden="true" />
      {t(`join.limit.${name}`)}
    </Checkbox>
  )
  return (
    <fieldset className="join-limits">
      <legend>{t('join.limits')}</legend>
      <div className="limit-grid">
        {LIMIT_FIELDS.map(([name]) => (
          <Field
            key={name}
            label={t(`join.limit.${name}`)}
            value={limits[name]}
            onChange={(text) => onChange({ ...limits, [name]: text })}
            placeholder={EXAMPLES[name]}
            isShort
            {...(bad.includes(name)
              ? { problem: t('join.badLimit', { example: EXAMPLES[name] }) }
              : {})}
          />
        ))}
      </div>
      {box('worksOnBattery')}
      {box('worksOnMetered')}
      <p className="quiet">{t('join.limitsNote')}</p>
    </fieldset>
  )
}
