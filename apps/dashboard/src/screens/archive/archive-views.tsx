/** The views of one capture: replayed inside the page, as raw bytes, compared with the one before it. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CaptureRow } from '@minga/protocol'
import { timestampOf } from './archive-params.ts'
import { useFormat } from '../../components/use-format.ts'
import { useReplay } from '../../components/use-replay.ts'

interface CaptureViewsProps {
  capture: CaptureRow
  hasPrevious: boolean
  isButton?: boolean
}

/** Raw bytes open on the origin of archived pages, in a tab of their own. */
export function CaptureViews({ capture, hasPrevious, isButton = false }: CaptureViewsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { url, capturedAt } = capture
  const replay = useReplay(capture.collectionId)
  const time = timestampOf(capturedAt)
  const looks = isButton ? 'button' : ''
  const of = { moment: format.moment(capturedAt) }
  return (
    <>
      {replay === null ? null : (
        <>
          <Link
            className={looks}
            to="/archive/replay"
            search={{ url, at: capturedAt }}
            aria-label={t('archive.replayOf', of)}
          >
            {t('archive.replay')}
          </Link>{' '}
          <a
            className={looks}
            href={`${replay.raw}/raw/${time}/${url}`}
            target="_blank"
            rel="noreferrer"
            aria-label={t('archive.rawOf', of)}
          >
            {t('archive.raw')}
          </a>{' '}
        </>
      )}
      {hasPrevious ? (
        <Link
          className={looks}
          to="/archive/diff"
          search={{ url, before: 'previous', after: time }}
          aria-label={t('archive.diffOf', of)}
        >
          {t('archive.diff')}
        </Link>
      ) : null}
    </>
  )
}
