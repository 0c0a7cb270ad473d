/** What stands over the page; Escape and a click next to it close it. */
import type { ReactNode } from 'react'
import { Modal, ModalOverlay } from 'react-aria-components'

interface OverlayProps {
  /** Left out where a trigger opens and closes it. */
  onClose?: () => void
  isOpen?: boolean
  look?: 'wide' | 'palette'
  children: ReactNode
}

export function Overlay({ onClose, isOpen = true, look, children }: OverlayProps) {
  return (
    <ModalOverlay
      className={look === 'palette' ? 'overlay high' : 'overlay'}
      isDismissable
      {...(onClose && { isOpen, onOpenChange: (isNowOpen) => (isNowOpen ? undefined : onClose()) })}
    >
      <Modal className={look === undefined ? 'modal' : `modal ${look}`}>{children}</Modal>
    </ModalOverlay>
  )
}
