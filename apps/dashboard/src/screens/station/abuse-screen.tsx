import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FLAG_STATES, readFlags } from '../../api/abuse.ts'
import type { FlagState, FlagView } from '@minga/protocol'
import { Ago } from '../../parts/ago.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark, type MarkKind } from '../../parts/mark.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { CategoryList } from './category-list.tsx'
import { FlagForm } from './flag-form.tsx'
import { HostList } from './host-list.tsx'

const ROWS = 100
/** A new flag is news: sooner than a person reloads. */
const EVERY_MS = 10_000

export function AbuseScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="abuse:read" title={t('abuse.title')}>
      <h1>{t('abuse.title')}</h1>
      <Flags />
      <HostList />
      <CategoryList />
    </ForThoseWho>
  )
}

function Flags() {
  const { t } = useTranslation()
  const [state, setState] = useState<FlagState | ''>('open')
  const query = useQuery({
    queryKey: ['flags', state],
    queryFn: () => readFlags(state === '' ? null : state, ROWS),
    refetchInterval: EVERY_MS,
  })
  return (
    <section className="card settings-list">
      <h2>{t('abuse.flags')}</h2>
      <p className="quiet">{t('abuse.flagsLead')}</p>
      <p>
        <label>
          {t('device.stateLabel')}{' '}
          <select
            value={state}
            onChange={(event) => setState(event.target.value as FlagState | '')}
          >
            {FLAG_STATES.map((one) => (
              <option key={one} value={one}>
                {t(`abuse.state.${one}`)}
              </option>
            ))}
            <option value="">{t('abuse.allStates')}</option>
          </select>
        </label>
      </p>
      <Loaded query={query}>
        {(flags) =>
          flags.length === 0 ? (
            <p className="quiet">{t('abuse.none')}</p>
          ) : (
            flags.map((flag) => <FlagCard key={flag.id} flag={flag} />)
          )
        }
      </Loaded>
    </section>
  )
}

const STATES: Record<FlagState, MarkKind> = { open: 'warn', confirmed: 'bad', dismissed: 'quiet' }

function FlagCard({ flag }: { flag: FlagView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { id, client, severity, state, effect, note, decidedBy, openedAt } = flag
  return (
    <article aria-labelledby={`flag-${id}`}>
      <header>
        <h3 id={`flag-${id}`}>
          {t(`abuse.kind.${flag.kind}`)} · {client}
        </h3>
        <span>
          <Mark
            kind={severity === 'alarm' ? 'bad' : 'info'}
            text={t(`abuse.severity.${severity}`)}
          />{' '}
          <Mark kind={STATES[state]} text={t(`abuse.state.${state}`)} />
        </span>
      </header>
      <p className="quiet">
        <Ago at={openedAt} /> · {t(`abuse.effect.${effect}`)}
      </p>
      <Evidence flag={flag} />
      {note === null ? null : (
        <p>
          “{note}” <span className="quiet">{decidedBy}</span>
        </p>
      )}
      {may('abuse:write') ? <FlagForm key={`${state} ${effect}`} flag={flag} /> : null}
    </article>
  )
}

/** Addresses of an attacker are text here, never links. */
function Evidence({ flag }: { flag: FlagView }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      <dl className="figures">
        {Object.entries(flag.evidence).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'number' ? format.count(value) : value}</dd>
          </div>
        ))}
      </dl>
      {flag.samples.length === 0 ? null : (
        <details>
          <summary>{t('abuse.samples', { count: flag.samples.length })}</summary>
          <ul className="log">
            {flag.samples.map((sample) => (
              <li key={sample}>
                <code>{sample}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
