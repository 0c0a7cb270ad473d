/** Watches from a file: OPML of a feed reader, CSV or JSON. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import type { ImportedWatches, Operations } from '../../api/station-api.ts'
import { EXPORTS } from '../../api/watches.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useChange } from '../../components/use-change.ts'

type WatchFile = Operations['POST /watches/import']['body']['as']

export function WatchImport() {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  const take = useChange(async () => {
    if (file === null) return
    return station('POST /watches/import', {
      body: { as: formatOf(file.name), text: await file.text() },
    })
  }, ['watches'])
  return (
    <section className="card">
      <h2>{t('watch.import')}</h2>
      <ChangeForm
        change={take}
        isFilled={file !== null}
        label={t('watch.importButton')}
        isPrimary
        isWaiting
        isInline
      >
        <label className="choice">
          <b>{t('watch.file')}</b>
          <input
            type="file"
            accept=".opml,.xml,.csv,.json"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
          <span className="quiet">{t('watch.importHelp')}</span>
        </label>
      </ChangeForm>
      {take.data === undefined ? null : <Outcome imported={take.data} />}
    </section>
  )
}

function formatOf(name: string): WatchFile {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  return EXPORTS.find((format) => format === ending) ?? 'opml'
}

function Outcome({ imported }: { imported: ImportedWatches }) {
  const { t } = useTranslation()
  const { added, skipped, problems } = imported
  return (
    <div role="status">
      <p>
        {t('watch.imported', { count: added.length })} {t('watch.skipped', { count: skipped })}
      </p>
      {problems.length === 0 ? null : (
        <>
          <p>{t('watch.problems')}</p>
          <ul className="log">
            {problems.map(({ line, code, message }) => (
              <li key={`${line} ${message}`}>
                <b>{line}</b> {message} <code>{code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
