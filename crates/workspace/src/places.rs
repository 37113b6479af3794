//! Where things are. Each binary finds out and says so; libraries are told.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The workspace's own folder: database, souls, logs.
    pub data: PathBuf,
    /// What ships with Coterie: models, bundled souls.
    pub assets: PathBuf,
    /// The program `coterie-engine`.
    pub engine: PathBuf,
    /// The program `coterie-keeper`.
    pub keeper: PathBuf,
    /// ONNX Runtime's library.
    pub onnxruntime: PathBuf,
}

impl Places {
    /// A workspace beside which nothing lies that ships with Coterie.
    pub fn bare(data: PathBuf) -> Self {
        let nowhere = data.join("nowhere");
        Places {
            data,
            assets: nowhere.clone(),
            engine: nowhere.clone(),
            keeper: nowhere.clone(),
            onnxruntime: nowhere,
        }
    }

    pub fn database(&self) -> PathBuf {
        self.data.join("coterie.db")
    }

    pub fn souls(&self) -> PathBuf {
        self.data.join("souls")
    }

    pub fn skills(&self) -> PathBuf {
        self.data.join("skills")
    }

    /// Who the person is and what they prefer.
    pub fn profile(&self) -> PathBuf {
        self.data.join("profile.md")
    }

    /// Templates of the person's own, in place of those that Coterie brings.
    pub fn prompts(&self) -> PathBuf {
        self.data.join("prompts")
    }

    /// What a new group can begin with, of the person's own.
    pub fn group_templates(&self) -> PathBuf {
        self.data.join("templates").join("groups")
    }

    /// Where each program that an agent runs has a folder for as long as it runs.
    pub fn temporary(&self) -> PathBuf {
        self.data.join("temporary")
    }

    /// Files that messages show.
    pub fn attachments(&self) -> PathBuf {
        self.data.join("attachments")
    }

    /// Where memories are found by. Derived: made again when it is gone.
    pub fn memory_index(&self) -> PathBuf {
        self.data.join("index").join("memories")
    }

    /// Where messages and runs are found by. Derived: made again when it is gone.
    pub fn everywhere_index(&self) -> PathBuf {
        self.data.join("index").join("everywhere")
    }

    /// A cross-encoder of the person's own, if they put one there.
    pub fn reranker(&self) -> PathBuf {
        self.data.join("reranker")
    }

    /// What is to be put in place of the workspace, until it is.
    pub fn restore(&self) -> PathBuf {
        self.data.join("restore")
    }

    /// Folders with what a restored workspace took the place of: the way back.
    pub fn replaced(&self) -> PathBuf {
        self.data.join("replaced")
    }

    pub fn backups(&self) -> PathBuf {
        self.data.join("backups")
    }

    /// The starter model's file.
    pub fn starter_model(&self) -> PathBuf {
        self.assets.join("models").join("SmolLM2-135M-Instruct.Q4_1.gguf")
    }

    pub fn embedding_model(&self) -> PathBuf {
        self.assets.join("models").join("multilingual-e5-small").join("model.onnx")
    }
}
