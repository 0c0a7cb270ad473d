/** Dumps on the station's machine, taken in one after another. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DumpImportView } from '@minga/protocol'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { readImports } from '../../api/wikis.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'

const EVERY_MS = 1_000

export function WikiImport() {
  const { t } = useTranslation()
  const imports = useQuery({
    queryKey: ['wiki-imports'],
    queryFn: readImports,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? EVERY_MS : false),
  })
  return (
    <section className="card">
      <h2>{t('wikiImport.title')}</h2>
      <p className="quiet">{t('wikiImport.lead')}</p>
      <ImportForm />
      <Failure error={imports.error} />
      {(imports.data ?? []).map((view) => (
        <Import key={view.id} view={view} />
      ))}
    </section>
  )
}

const isUnderWay = ({ state }: DumpImportView): boolean =>
  state === 'waiting' || state === 'running'

function ImportForm() {
  const { t } = useTranslation()
  const [file, setFile] = useState('')
  const [wiki, setWiki] = useState('')
  const start = useChange(async () => {
    await station('POST /wikis/imports', {
      body: { file: file.trim(), wiki: wiki.trim() === '' ? null : wiki.trim() },
    })
    setFile('')
  }, ['wiki-imports', 'wikis'])
  return (
    <ChangeForm
      change={start}
      isFilled={file.trim() !== ''}
      label={t('wikiImport.start')}
      isWaiting
    >
      <div className="wiki-where">
        <Field
          label={t('wikiImport.file')}
          value={file}
          onChange={setFile}
          help={t('wikiImport.fileHelp')}
          placeholder="/srv/dumps/eswiki-20260101-pages-meta-history.xml.bz2"
        />
        <Field
          label={t('wikiImport.wiki')}
          value={wiki}
          onChange={setWiki}
          help={t('wikiImport.wikiHelp')}
        />
      </div>
    </ChangeForm>
  )
}

const MARKS = { waiting: 'quiet', running: 'good', done: 'info', failed: 'bad' } as const

function Import({ view }: { view: DumpImportView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { file, state, position, size, wiki, already, error } = view
  const share = size === 0 ? 0 : position / size
  const rejected = Object.values(view.rejects).reduce((sum, count) => sum + count, 0)
  return (
    <article className="import">
      <header className="task-head">
        <h3 className="address">{file}</h3>
        <StatusBadge kind={MARKS[state]} text={t(`wikiImport.is.${already ? 'already' : state}`)} />
      </header>
      <div className="progress">
        <div
          className="bar"
          role="progressbar"
          aria-label={file}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
        >
          <div className="done" style={{ flexGrow: share }} />
          <div className="to-do" style={{ flexGrow: 1 - share }} />
        </div>
        <small>
          {t('wikiImport.progress', {
            position: format.bytes(position),
            size: format.bytes(size),
            pages: format.count(view.pages),
            revisions: format.count(view.revisions),
            rate: format.rate(view.revisionsPerSecond),
          })}
        </small>
      </div>
      {wiki === null ? null : (
        <p>
          <Link to="/wikis/$wiki" params={{ wiki }}>
            {wiki}
          </Link>
        </p>
      )}
      {error === null ? null : (
        <p className="banner error" role="alert">
          {error.message} <code>{error.code}</code>
        </p>
      )}
      {rejected === 0 ? null : <Rejected view={view} count={rejected} />}
    </article>
  )
}

function Rejected({ view, count }: { view: DumpImportView; count: number }) {
  const { t } = useTranslation()
  return (
    <details>
      <summary>{t('wikiImport.rejected', { count })}</summary>
      <ul className="names">
        {view.examples.map(({ code, line, message }, i) => (
          <li key={i}>
            <code>{code}</code> {t('wikiImport.line', { line })} {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
