import { useTranslation } from 'react-i18next'
import type { Capture } from '../../api/api-types.ts'
import { useFormat } from '../../components/use-format.ts'

interface CaptureTableProps {
  captures: readonly Capture[]
  /** The station's clock. */
  now: number
  caption: string
}

export function CaptureTable({ captures, now, caption }: CaptureTableProps) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <table className="capture-table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t('captures.status')}</th>
          <th scope="col">{t('captures.page')}</th>
          <th scope="col" className="wide-only">
            {t('captures.type')}
          </th>
          <th scope="col" className="number wide-only">
            {t('captures.size')}
          </th>
          <th scope="col" className="number">
            {t('captures.when')}
          </th>
        </tr>
      </thead>
      <tbody>
        {captures.map((capture) => (
          <tr key={capture.id}>
            <td>
              <span className={`http s${Math.floor(capture.status / 100)}`}>{capture.status}</span>
            </td>
            <td className="address" title={capture.url}>
              {capture.title === null ? null : <b>{capture.title}</b>}
              <span>{capture.url.replace(/^https?:\/\//, '')}</span>
            </td>
            <td className="wide-only quiet">
              {capture.kind === 'revisit' ? t('captures.revisit') : capture.mime}
            </td>
            <td className="number wide-only">{format.bytes(capture.length)}</td>
            <td className="number quiet">
              <time
                dateTime={new Date(capture.capturedAt).toISOString()}
                title={format.moment(capture.capturedAt)}
              >
                {t('captures.ago', { age: format.span(now - capture.capturedAt) })}
              </time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
