import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { useLive } from '../../live/live-provider.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useMe } from '../../auth/use-me.ts'
import { readAskedQueries } from './first-run-calls.ts'
import { AskStep, CollectStep, InviteStep } from './first-run-forms.tsx'
import { doneSteps, FIRST_STEPS, type FirstStep } from './first-run-steps.ts'

const DEMO_COMMAND = 'npm start -- --demo'
const LOOK_EVERY_MS = 5_000
/** Beyond them a station is not new. */
const DEVICES_MOST = 20
const ASKED = 'minga.first-run.asked'
const PUT_AWAY = 'minga.first-run.put-away'

/**
 * The first three steps of a station, each with the means to take it. Shown whole while there is no
 * collection; then to those who may take the steps that are left, until they are done or put it away.
 */
export function FirstRun() {
  const { t } = useTranslation()
  const { may } = useMe()
  const { state } = useLive()
  const [hasAsked, noteAsked] = useRemembered(ASKED)
  const [isPutAway, putAway] = useRemembered(PUT_AWAY)
  const done = useDoneSteps(hasAsked)
  const isEmpty = (state?.snapshot.collections.length ?? 0) === 0
  const isOver = done.size === FIRST_STEPS.length
  if (!isEmpty && (isOver || isPutAway || !may('collections:write'))) return null
  const forms: Record<FirstStep, ReactNode> = {
    collect: <CollectStep />,
    invite: <InviteStep />,
    ask: <AskStep onAnswer={noteAsked} />,
  }
  return (
    <section className="card first-steps" aria-labelledby="first-run">
      <h2 id="first-run">{t('start.title')}</h2>
      <p>{t('start.lead')}</p>
      <ol>
        {FIRST_STEPS.map((step) => (
          <li key={step} className={done.has(step) ? 'done' : undefined}>
            <h3>{t(`start.${step}.title`)}</h3>
            {done.has(step) ? <StatusBadge kind="good" text={t('start.done')} /> : null}
            <p>{t(`start.${step}.text`)}</p>
            {forms[step]}
          </li>
        ))}
      </ol>
      {isEmpty ? (
        <>
          <p>{t('start.demo')}</p>
          <CopyBox text={DEMO_COMMAND} label={t('start.demoCommand')} />
        </>
      ) : (
        <Button className="plain" onPress={putAway}>
          {t('start.putAway')}
        </Button>
      )}
    </section>
  )
}

function useDoneSteps(hasAsked: boolean): ReadonlySet<FirstStep> {
  const { may } = useMe()
  const { state } = useLive()
  const devices = useStation(['devices', 'first-run'], 'GET /devices', {
    query: { afterId: '', limit: DEVICES_MOST },
    refetchInterval: LOOK_EVERY_MS,
    enabled: may('devices:read'),
  })
  const queries = useQuery({
    queryKey: ['queries', 'first-run'],
    queryFn: readAskedQueries,
    enabled: may('queries:read'),
    refetchInterval: LOOK_EVERY_MS,
  })
  return doneSteps({
    collections: state?.snapshot.collections.length ?? 0,
    devices: devices.data,
    queries: queries.data,
    hasAsked,
  })
}

/** Yes or no, kept by this browser where it keeps anything. */
function useRemembered(name: string): [boolean, () => void] {
  const [isSo, setIsSo] = useState(() => recall(name))
  const note = (): void => {
    setIsSo(true)
    try {
      localStorage.setItem(name, 'yes')
    } catch {
      // A browser that keeps nothing shows it again next time.
    }
  }
  return [isSo, note]
}

function recall(name: string): boolean {
  try {
    return localStorage.getItem(name) === 'yes'
  } catch {
    return false
  }
}
