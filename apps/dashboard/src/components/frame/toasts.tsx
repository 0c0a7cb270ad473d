import { useEffect, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { dropToast, finishAll, readToasts, watchToasts, type Toast } from './toast-store.ts'

export function Toasts() {
  const toasts = useSyncExternalStore(watchToasts, readToasts)
  useEffect(() => {
    window.addEventListener('pagehide', finishAll)
    return () => window.removeEventListener('pagehide', finishAll)
  }, [])
  // The region is there before its text, else screen readers miss the first one.
  return (
    <div className="toasts" role="status" aria-atomic="false">
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastView({ toast: { id, text, kind, undo } }: { toast: Toast }) {
  const { t } = useTranslation()
  return (
    <div className={`toast ${kind}`}>
      <span>{text}</span>
      {undo === null ? null : (
        <button
          type="button"
          onClick={() => {
            undo()
            dropToast(id)
          }}
        >
          {t('toast.undo')}
        </button>
      )}
      <button type="button" className="plain" aria-label={t('close')} onClick={() => dropToast(id)}>
        <span aria-hidden="true">×</span>
      </button>
    </div>
  )
}
