/** What the seeds' sites say to robots, asked before anything is collected; an agent asks, in its turn. */
import { useQuery } from '@tanstack/react-query'
import type { SeedCheck, SeedChecks } from '@minga/protocol'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Link } from '@tanstack/react-router'
import { station } from '../../api/station.ts'
import { meaningKeyOf } from '../../live/error-meaning.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { seedsOf, type FormValues } from './collection-form.ts'

const EVERY_MS = 1_000
/** The station looks at no more at once. */
const SEEDS_MOST = 100

export function SeedChecker({ values }: { values: FormValues }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<string[] | null>(null)
  const { may } = useMe()
  const seeds = seedsOf(values).slice(0, SEEDS_MOST)
  return (
    <div className="seed-check">
      <Button
        isDisabled={seeds.length === 0 || !may('collections:write')}
        onPress={() => setAsked(seeds)}
      >
        {t('check.ask')}
      </Button>
      <p className="quiet">{t('check.lead')}</p>
      {asked === null ? null : <Checks seeds={asked} />}
    </div>
  )
}

/** An agent may join after the question, and one that is slow still comes. */
const OPEN_STATES: readonly SeedCheck['robots']['state'][] = ['asking', 'no-agent', 'silent']

const isOpen = (checks: SeedChecks | undefined): boolean =>
  checks?.seeds.some(({ robots }) => OPEN_STATES.includes(robots.state)) ?? false

function Checks({ seeds }: { seeds: string[] }) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['check', seeds],
    queryFn: () => station('POST /collections/check', { body: { seeds } }),
    refetchInterval: ({ state }) => (isOpen(state.data) ? EVERY_MS : false),
  })
  return (
    <Loaded query={query}>
      {({ seeds: checks, userAgent }) => (
        <div role="status">
          <DataTable
            caption={t('check.title')}
            keyOf={({ given }) => given}
            rows={checks}
            columns={[
              { label: t('form.seeds'), isAddress: true, cell: ({ url, given }) => url ?? given },
              { label: t('check.verdict'), cell: (check) => <Verdict check={check} /> },
              { label: t('check.says'), cell: (check) => <Says check={check} /> },
            ]}
          />
          {checks.some(({ robots }) => robots.state === 'no-agent') ? <NoAgent /> : null}
          <p className="quiet">{t('check.as', { userAgent })}</p>
        </div>
      )}
    </Loaded>
  )
}

function NoAgent() {
  const { t } = useTranslation()
  return (
    <p className="banner info">
      {t('check.noAgent')} <Link to="/join">{t('check.join')}</Link>
    </p>
  )
}

type Mark = 'allowed' | 'denied' | 'asking' | 'unknown'

function markOf({ refusal, robots }: SeedCheck): Mark {
  if (refusal !== null || robots.state === 'failed') return 'denied'
  if (robots.state === 'known') return robots.isAllowed ? 'allowed' : 'denied'
  return robots.state === 'asking' ? 'asking' : 'unknown'
}

const LOOKS: Record<Mark, [shape: string, className: string]> = {
  allowed: ['✔', 'out'],
  denied: ['✕', 'limited'],
  asking: ['…', 'ready'],
  unknown: ['?', 'done'],
}

function Verdict({ check }: { check: SeedCheck }) {
  const { t } = useTranslation()
  const mark = markOf(check)
  const [shape, className] = LOOKS[mark]
  return (
    <span className={`host-state ${className}`}>
      <span aria-hidden="true">{shape} </span>
      {t(`check.mark.${mark}`)}
    </span>
  )
}

function Says({ check: { refusal, robots } }: { check: SeedCheck }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (refusal !== null) return <Code code={refusal} />
  if (robots.state === 'failed') return <Code code={robots.code} />
  if (robots.state !== 'known') return t(`check.state.${robots.state}`)
  const { verdict, crawlDelayMs, sitemaps } = robots
  return (
    <>
      {t(`check.robots.${verdict}`)}{' '}
      {crawlDelayMs === 0 ? null : t('check.delay', { delay: format.delay(crawlDelayMs) })}{' '}
      {sitemaps.length === 0
        ? null
        : t('check.sitemaps', { count: sitemaps.length, first: sitemaps[0] ?? '' })}
    </>
  )
}

function Code({ code }: { code: string }) {
  const { t } = useTranslation()
  return (
    <>
      {t(code === 'MINGA_BAD_SEED' ? 'check.noAddress' : meaningKeyOf(code))} <code>{code}</code>
    </>
  )
}
