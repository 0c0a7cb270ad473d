import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

/** One line to take along, such as a command or a secret. */
export function CopyBox({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState('')
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <div className="copy-box" role="group" aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
      <Button onPress={() => void copy()}>{t('copy.copy')}</Button>
      <span role="status" className="quiet">
        {copied === text ? t('copy.copied') : ''}
      </span>
    </div>
  )
}
