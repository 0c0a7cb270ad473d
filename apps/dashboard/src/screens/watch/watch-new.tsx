/** A page, a site or a list that is to be watched. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchSubject } from '@minga/protocol'
import { Radios } from '../../components/choice.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { WatchFields } from './watch-fields.tsx'
import {
  EMPTY_WATCH,
  newWatchProblemsOf,
  watchAsked,
  type NewWatchTyped,
  type WatchProblems,
} from './watch-form.ts'

const SUBJECTS: readonly WatchSubject[] = ['page', 'site', 'list']

export const NewWatchScreen = permitted('watches:write', 'watch.new', NewWatch)

function NewWatch() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [typed, setTyped] = useState(EMPTY_WATCH)
  const [wasSent, setWasSent] = useState(false)
  const categories = useStation(['watch-categories'], 'GET /watches/categories')
  const make = useChange(async () => {
    const { id } = await station('POST /watches', { body: watchAsked(typed) })
    await navigate({ to: '/watches/$id', params: { id: String(id) } })
  }, ['watches'])
  const problems = wasSent ? newWatchProblemsOf(typed) : {}
  const change = (part: Partial<NewWatchTyped>): void => setTyped({ ...typed, ...part })
  return (
    <section className="card">
      <h1>{t('watch.new')}</h1>
      <p className="quiet">{t('watch.newLead')}</p>
      <ChangeForm
        change={make}
        isFilled={Object.keys(newWatchProblemsOf(typed)).length === 0}
        label={t('watch.make')}
        isPrimary
        onTry={() => setWasSent(true)}
      >
        <What typed={typed} change={change} problems={problems} />
        <WatchFields
          typed={typed}
          change={change}
          problems={problems}
          categories={categories.data ?? []}
        />
        <Failure error={categories.error} onRetry={() => void categories.refetch()} />
      </ChangeForm>
    </section>
  )
}

interface WhatProps {
  typed: NewWatchTyped
  change: (part: Partial<NewWatchTyped>) => void
  problems: WatchProblems
}

function What({ typed, change, problems }: WhatProps) {
  const { t } = useTranslation()
  const { urls } = problems
  return (
    <>
      <Radios
        label={t('watch.what')}
        value={typed.subject}
        onChange={(subject) => change({ subject })}
        options={SUBJECTS.map((subject) => [subject, t(`watch.subject.${subject}`)])}
        isAcross
      />
      <Field
        label={t('watch.urls')}
        value={typed.urls}
        onChange={(text) => change({ urls: text })}
        rows={typed.subject === 'page' ? 1 : 4}
        help={t(`watch.urlsHelp.${typed.subject}`)}
        problem={
          urls === undefined ? undefined : t(urls === 'one' ? 'watch.onePage' : 'form.seedsMissing')
        }
        placeholder="https://example.org/"
      />
      <Field
        label={t('watch.feeds')}
        value={typed.feeds}
        onChange={(feeds) => change({ feeds })}
        rows={1}
        help={t('watch.feedsHelp')}
      />
    </>
  )
}
