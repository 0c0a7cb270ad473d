/** A button whose act takes a moment: it says so, and cannot be pressed twice. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

interface BusyButtonProps {
  isBusy: boolean
  children: ReactNode
  /** Left out for a button that sends its form. */
  onPress?: () => void
  isDisabled?: boolean
  isPrimary?: boolean
}

export function BusyButton(props: BusyButtonProps) {
  const { isBusy, children, onPress, isDisabled = false, isPrimary = false } = props
  const { t } = useTranslation()
  return (
    <Button
      {...(onPress === undefined ? { type: 'submit' } : { onPress })}
      {...(isPrimary ? { className: 'primary' } : {})}
      isDisabled={isDisabled || isBusy}
    >
      {isBusy ? <span className="busy" role="img" aria-label={t('loading')} /> : null}
      {children}
    </Button>
  )
}
