/** What the archive holds, what it need not hold twice, and the ways to take it out whole. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ArchiveSizes } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { wholePath } from '../../api/archive.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'

/** Of one collection, or of all. */
export function ArchiveSummary({ collectionId }: { collectionId: number | null }) {
  const { t } = useTranslation()
  const query = useStation(['archive-sizes', collectionId], 'GET /archive/sizes', {
    query: { collectionId },
  })
  return (
    <section className="card">
      <h2>
        {collectionId === null
          ? t('archive.holds')
          : t('archive.holdsOf', { collection: collectionId })}
      </h2>
      <Loaded query={query}>{(sizes) => <Sizes sizes={sizes} />}</Loaded>
      <div className="actions">
        <Link
          to="/captures"
          search={collectionId === null ? {} : { collection: String(collectionId) }}
          className="button"
        >
          {t('archive.allCaptures')}
        </Link>
        {collectionId === null ? null : (
          <>
            <DownloadLink
              path={wholePath(collectionId, 'wacz')}
              fileName={`collection-${collectionId}.wacz`}
              isLarge
            >
              {t('archive.wacz')}
            </DownloadLink>
            <DownloadLink
              path={wholePath(collectionId, 'cdxj')}
              fileName={`collection-${collectionId}.cdxj`}
              isLarge
            >
              {t('archive.cdxj')}
            </DownloadLink>
          </>
        )}
      </div>
      {collectionId === null ? <p className="quiet">{t('archive.chooseToDownload')}</p> : null}
    </section>
  )
}

function Sizes({ sizes }: { sizes: ArchiveSizes }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { captures, responses, revisits, storedBytes, payloadBytes, savedBytes } = sizes
  return (
    <>
      <FiguresList
        figures={[
          { label: t('archive.captures'), value: format.count(captures) },
          { label: t('archive.responses'), value: format.count(responses) },
          { label: t('archive.revisits'), value: format.count(revisits) },
          { label: t('archive.stored'), value: format.bytes(storedBytes) },
          { label: t('archive.payload'), value: format.bytes(payloadBytes) },
          { label: t('archive.saved'), value: format.bytes(savedBytes) },
        ]}
      />
      {payloadBytes === 0 ? null : (
        <p className="quiet">
          {t('archive.savedShare', { share: format.percent(savedBytes / payloadBytes) })}
        </p>
      )}
    </>
  )
}
