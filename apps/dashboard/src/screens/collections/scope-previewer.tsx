/** Which addresses would be collected, tried on a few before anything starts. */
import { useMutation } from '@tanstack/react-query'
import type { PreviewedUrl } from '@minga/protocol'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { linesOf, withScheme } from '../typed-text.ts'
import { requestOf, seedsOf, type FormValues } from './collection-form.ts'

export function ScopePreviewer({ values }: { values: FormValues }) {
  const { t } = useTranslation()
  const [urls, setUrls] = useState('')
  const [page, setPage] = useState('')
  const preview = useMutation({
    mutationFn: () => {
      const { extract: _, ...request } = requestOf(values)
      const tried = linesOf(urls).map(withScheme)
      const from = page.trim()
      return station('POST /collections/preview', {
        body: { request, urls: tried, ...(from === '' ? {} : { page: withScheme(from) }) },
      })
    },
  })
  const { may } = useMe()
  const hasSeeds = seedsOf(values).length > 0
  const hasQuestion = linesOf(urls).length > 0 || page.trim() !== ''
  return (
    <fieldset className="preview">
      <legend>{t('preview.title')}</legend>
      <p className="quiet">{t('preview.lead')}</p>
      <Field label={t('preview.urls')} value={urls} onChange={setUrls} rows={3} />
      <Field
        label={t('preview.page')}
        value={page}
        onChange={setPage}
        help={t('preview.pageHelp')}
      />
      <Button
        isDisabled={!hasSeeds || !hasQuestion || preview.isPending || !may('collections:write')}
        onPress={() => preview.mutate()}
      >
        {t('preview.try')}
      </Button>
      {hasSeeds ? null : <p className="quiet">{t('preview.noSeeds')}</p>}
      <Failure error={preview.error} />
      {preview.data === undefined ? null : <Verdicts urls={preview.data.urls} />}
    </fieldset>
  )
}

function Verdicts({ urls }: { urls: readonly PreviewedUrl[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const taken = urls.filter(({ isIn }) => isIn).length
  const counts = { taken: format.count(taken), all: format.count(urls.length) }
  return (
    <>
      <p role="status">
        <b>{t('preview.count', counts)}</b>
      </p>
      <div className="preview-list" tabIndex={0} role="region" aria-label={t('preview.title')}>
        <DataTable
          caption={t('preview.title')}
          keyOf={({ given }) => given}
          rows={unique(urls)}
          columns={[
            { label: t('preview.verdict'), cell: ({ isIn }) => <Verdict isIn={isIn} /> },
            { label: t('captures.page'), isAddress: true, cell: ({ url, given }) => url ?? given },
            {
              label: t('hosts.why'),
              cell: ({ why, pattern }) => (
                <>
                  {t(`preview.because.${why}`)} {pattern === null ? null : <code>{pattern}</code>}
                </>
              ),
            },
          ]}
        />
      </div>
    </>
  )
}

const unique = (urls: readonly PreviewedUrl[]): PreviewedUrl[] => [
  ...new Map(urls.map((one) => [one.given, one])).values(),
]

function Verdict({ isIn }: { isIn: boolean }) {
  const { t } = useTranslation()
  return (
    <span className={isIn ? 'host-state out' : 'host-state done'}>
      <span aria-hidden="true">{isIn ? '✔ ' : '✕ '}</span>
      {t(isIn ? 'preview.in' : 'preview.out')}
    </span>
  )
}
