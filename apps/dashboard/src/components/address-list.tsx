import { useTranslation } from 'react-i18next'

/** What was asked for, out of the way: a list may be long. */
export function AddressList({ urls }: { urls: readonly string[] }) {
  const { t } = useTranslation()
  return (
    <details>
      <summary>{t('batch.urls')}</summary>
      <ul>
        {urls.map((url) => (
          <li key={url} className="address">
            {url}
          </li>
        ))}
      </ul>
    </details>
  )
}
